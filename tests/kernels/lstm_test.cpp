// A long sequence through the LSTM kernel, each step starting from the device's own state: the bound
// of one step holds for every step, and the accumulated error is no more than that of plain arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "kernels/classify/replay.h"
#include "kernels/core/compare_results.h"
#include "kernels/devices/device.h"

namespace envdoctor::kernels::lstm_test {
namespace {

constexpr std::int64_t hidden = 16, width = 8, steps = 64;

const Kernel& lstm() { return *std::ranges::find(all_kernels(), std::string_view("lstm"), &Kernel::name); }

Problem problem_of(std::int64_t count, Precision precision = Precision::fp32) {
  return {.precision = precision, .size = {{"hidden", hidden}, {"inputs", width}, {"steps", count}}, .seed = 7};
}

struct State {
  Array h{}, c{};
};

// Weights, biases, and the inputs of one step of the sequence.
std::vector<Array> inputs_of(std::int64_t step, const State& state) {
  static const std::vector<Array> whole = lstm().inputs(problem_of(steps));
  Array x(Precision::fp32, width);
  for (std::int64_t i = 0; i < width; ++i)
    x.set(static_cast<std::size_t>(i), whole[2].value(static_cast<std::size_t>(step * width + i)));
  return {whole[0], whole[1], x, state.h, state.c};
}

State start(Precision precision = Precision::fp32) { return {Array(precision, hidden), Array(precision, hidden)}; }

State on_host(Device& device, const std::vector<Array>& in) {
  const Plan plan = lstm().plan(problem_of(1), Variant::host, device.facts().capabilities);
  device.load(plan, in);
  device.run(1);
  State out = start();
  out.h.bytes = device.read(plan.outputs[0]).bytes;
  out.c.bytes = device.read(plan.outputs[1]).bytes;
  return out;
}

// In double, from its own states.
State exactly(const std::vector<Array>& in) {
  const std::vector<Expected> expected = lstm().reference(problem_of(1, Precision::fp64), in);
  State out = start(Precision::fp64);
  for (std::size_t j = 0; j < hidden; ++j) {
    out.h.set(j, expected[0].value[j]);
    out.c.set(j, expected[1].value[j]);
  }
  return out;
}

// The formula as it is written, in floats, one term after the other.
State plainly(const std::vector<Array>& in) {
  State out = start();
  for (std::size_t j = 0; j < hidden; ++j) {
    std::array<float, 4> z{};
    for (std::size_t gate = 0; gate < 4; ++gate) {
      const std::size_t row = gate * hidden + j;
      z[gate] = in[1].as<float>()[row];
      for (std::size_t i = 0; i < width + hidden; ++i)
        z[gate] += in[0].as<float>()[row * (width + hidden) + i] *
                   (i < width ? in[2].as<float>()[i] : in[3].as<float>()[i - width]);
    }
    const auto sigmoid = [](float v) { return 1 / (1 + std::exp(-v)); };
    const float c = sigmoid(z[1]) * in[4].as<float>()[j] + sigmoid(z[0]) * std::tanh(z[2]);
    out.c.set(j, c);
    out.h.set(j, sigmoid(z[3]) * std::tanh(c));
  }
  return out;
}

using Lying = std::function<void(std::int64_t step, const State& before, State& after)>;

struct Sequence {
  int outside = 0;                    // steps that left the bound
  double over_bound = 0;              // the largest error over bound of any step
  double drift = 0, twins_drift = 0;  // at the end, from the exact sequence
};

double distance(const State& one, const State& other) {
  double largest = 0;
  for (std::size_t j = 0; j < hidden; ++j) largest = std::max(largest, std::fabs(one.h.value(j) - other.h.value(j)));
  return largest;
}

Sequence run(double factor, const Lying& fault = {}) {
  const auto device = open_host({});
  device->build({&lstm()}, "");
  Sequence all;
  State state = start(), exact = start(Precision::fp64), twin = start();
  for (std::int64_t t = 0; t < steps; ++t) {
    const std::vector<Array> in = inputs_of(t, state);
    State next = on_host(*device, in);
    if (fault) fault(t, state, next);
    std::vector<Expected> expected = lstm().reference(problem_of(1), in);
    bool right = true;
    for (std::size_t o = 0; o < 2; ++o) {
      for (double& bound : expected[o].bound) bound *= factor;
      const Comparison comparison = compare(o == 0 ? next.h : next.c, expected[o]);
      right = right && comparison.right();
      all.over_bound = std::max(all.over_bound, *comparison.agreement.error_over_bound.get());
    }
    all.outside += right ? 0 : 1;
    state = next;
    exact = exactly(inputs_of(t, exact));
    twin = plainly(inputs_of(t, twin));
  }
  all.drift = distance(state, exact);
  all.twins_drift = distance(twin, exact);
  return all;
}

// Each state is kept in 11 bits.
void narrowly(std::int64_t /*step*/, const State& /*before*/, State& after) {
  for (std::size_t j = 0; j < hidden; ++j) after.h.set(j, rounded_to_bits(after.h.value(j), 11, Rounding::nearest));
}

// One step of the sequence isn't done.
void dropping(std::int64_t step, const State& before, State& after) {
  if (step == 40) after = before;
}

TEST(LstmSequence, StaysWithinTheBoundOfOneStepInEachOfSixtyFour) {
  const Sequence sequence = run(1);
  EXPECT_EQ(sequence.outside, 0);
  EXPECT_GT(sequence.over_bound, 0.01);
  EXPECT_GT(run(0.01).outside, 0);  // so a hundredth of the bound would be noticed
}

TEST(LstmSequence, DriftsNoFurtherThanEightTimesPlainArithmetic) {
  const Sequence sequence = run(1);
  EXPECT_GT(sequence.twins_drift, 1e-8);
  EXPECT_LE(sequence.drift, 8 * sequence.twins_drift);
  EXPECT_GT(run(1, narrowly).drift, 8 * sequence.twins_drift);
}

TEST(LstmSequence, IsOutsideInEveryStepThatKeepsItsStateInElevenBits) {
  EXPECT_GT(run(1, narrowly).outside, steps / 2);
  EXPECT_LT(run(100, narrowly).outside, steps / 2);  // so a hundredfold of the bound would be noticed
}

TEST(LstmSequence, IsOutsideInTheOneStepThatIsDropped) {
  EXPECT_EQ(run(1, dropping).outside, 1);
  EXPECT_EQ(run(100, dropping).outside, 1);
}

}  // namespace
}  // namespace envdoctor::kernels::lstm_test

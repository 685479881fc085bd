// EXPECT_THAT(actual, envdoctor::AgreesWith(reference, envdoctor::Bound::dot(1024)));
//
// A matcher for GoogleTest: an array agrees with a reference if rounding in its own type explains the difference.
// Header only, C++17; needs gmock. The limits are those of envdoctor: if the sizes of the terms are given, the
// derived bounds of docs/numerics.md, computed here; otherwise the judgement of `envdoctor compare --op`
// (docs/commands/compare.md), for which the program runs.
#ifndef ENVDOCTOR_AGREES_WITH_H
#define ENVDOCTOR_AGREES_WITH_H

#include <fcntl.h>
#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

extern char** environ;

namespace envdoctor {

// gamma_n = n u / (1 - n u): n roundings of relative size u in a row; infinite where n u >= 1.
inline double gamma(double n, double u) { return n * u < 1 ? n * u / (1 - n * u) : HUGE_VAL; }

// 2^-24 for float, 2^-53 for double.
template <class T>
constexpr double unit_roundoff() {
  static_assert(std::is_floating_point_v<T>);
  return static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
}

// How much an array may differ from its reference.
class Bound {
 public:
  // Each element is a sum of k products: a matrix product, a convolution.
  static Bound dot(std::int64_t k) { return {"dot", k}; }
  // Each element is a sum of n terms.
  static Bound sum(std::int64_t n) { return {"sum", n}; }
  // An operation of `envdoctor compare --op`, such as "exp" or "matmul", with its depth (0: it has none).
  static Bound operation(const std::string& name, std::int64_t depth = 0) { return {name, depth}; }
  // A network's outputs: atol + rtol * |reference|.
  static Bound tolerance(double rtol, double atol) {
    Bound bound("network", 0);
    bound.rtol_ = rtol;
    bound.atol_ = atol;
    return bound;
  }
  // For dot and sum: for each element the sum of its terms' sizes, sum |a_i b_i| or sum |x_i|. Then each element must
  // meet the derived bound, which holds for every legal order of operations; without it, all must meet the average
  // rounding error.
  [[nodiscard]] Bound of_sizes(std::vector<double> sizes) const {
    Bound bound = *this;
    bound.sizes_ = std::move(sizes);
    return bound;
  }
  // The extents of the array, the last axis varying fastest: places are printed as [17, 5], and sums are judged by
  // rows.
  [[nodiscard]] Bound shaped(std::vector<std::int64_t> extents) const {
    Bound bound = *this;
    bound.extents_ = std::move(extents);
    return bound;
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::int64_t depth() const { return depth_; }
  [[nodiscard]] const std::vector<double>& sizes() const { return sizes_; }
  [[nodiscard]] const std::vector<std::int64_t>& extents() const { return extents_; }
  [[nodiscard]] double rtol() const { return rtol_; }
  [[nodiscard]] double atol() const { return atol_; }

  // The largest absolute error of one element in T whose terms' sizes add up to `size`; subnormals may be flushed.
  template <class T>
  [[nodiscard]] double largest_error(double size) const {
    const double u = unit_roundoff<T>();
    const auto k = static_cast<double>(depth_);
    if (name_ == "sum") return depth_ <= 1 ? 0 : gamma(k - 1, u) * size;
    return gamma(k, u) * size + k * static_cast<double>(std::numeric_limits<T>::min());
  }

 private:
  Bound(std::string name, std::int64_t depth) : name_(std::move(name)), depth_(depth) {}
  std::string name_;
  std::int64_t depth_ = 0;
  std::vector<double> sizes_{};
  std::vector<std::int64_t> extents_{};
  double rtol_ = -1, atol_ = -1;
};

namespace agreement {

// The program: the variable ENVDOCTOR, or else the one installed with this header, or else the one on PATH.
inline std::string program() {
  if (const char* named = std::getenv("ENVDOCTOR"); named && *named) return named;
#ifdef ENVDOCTOR_PROGRAM
  if (access(ENVDOCTOR_PROGRAM, X_OK) == 0) return ENVDOCTOR_PROGRAM;
#endif
  return "envdoctor";
}

inline std::string place(std::size_t at, const std::vector<std::int64_t>& extents) {
  std::string text;
  for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent) {
    const auto size = static_cast<std::size_t>(*extent > 0 ? *extent : 1);
    text = std::to_string(at % size) + (text.empty() ? "" : ", ") + text;
    at /= size;
  }
  return "[" + text + "]";
}

// A private temporary folder, removed with its contents.
class Folder {
 public:
  Folder() {
    const char* parent = std::getenv("TMPDIR");
    path_ = std::string(parent && *parent ? parent : "/tmp") + "/envdoctor-XXXXXX";
    if (!mkdtemp(path_.data())) path_.clear();
  }
  ~Folder() {
    for (const char* name : {"/a.npy", "/b.npy", "/out"}) unlink((path_ + name).c_str());
    rmdir(path_.c_str());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  explicit operator bool() const { return !path_.empty(); }
  [[nodiscard]] std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_{};
};

// NumPy's name of a type: "<f4".
template <class T>
std::string type_name() {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "an array of numbers is needed");
  const char kind = std::is_floating_point_v<T> ? 'f' : std::is_same_v<T, bool> ? 'b' : std::is_signed_v<T> ? 'i' : 'u';
  const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  return std::string(1, sizeof(T) == 1 ? '|' : little ? '<' : '>') + kind + std::to_string(sizeof(T));
}

template <class T>
bool write_npy(const std::string& path, const T* data, const std::vector<std::int64_t>& extents, std::size_t count) {
  std::string header = "{'descr': '" + type_name<T>() + "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t extent : extents) header += std::to_string(extent) + ",";
  header += "), }";
  while ((header.size() + 11) % 64 != 0) header += ' ';
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\0", 8)
      .put(static_cast<char>(header.size() & 255U))
      .put(static_cast<char>(header.size() >> 8U));
  file << header;
  file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(count * sizeof(T)));
  return static_cast<bool>(file.flush());
}

// The program's exit status, with its output in `into`; -1: it could not be started.
inline int run(std::vector<std::string> arguments, const std::string& into) {
  arguments.insert(arguments.begin(), program());
  std::vector<char*> words;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, into.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (error != 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

}  // namespace agreement

template <class Reference>
class AgreesWithMatcher {
 public:
  AgreesWithMatcher(Reference reference, Bound bound) : reference_(std::move(reference)), bound_(std::move(bound)) {}

  template <class Actual>
  bool MatchAndExplain(const Actual& actual, testing::MatchResultListener* listener) const {
    std::ostringstream out;
    const bool agrees = judge(actual, out);
    *listener << out.str();
    return agrees;
  }
  void DescribeTo(std::ostream* out) const {
    *out << "agrees with the reference within what rounding explains (" << bound_.name() << " of depth "
         << bound_.depth() << ")";
  }
  void DescribeNegationTo(std::ostream* out) const {
    *out << "does not agree with the reference (" << bound_.name() << " of depth " << bound_.depth() << ")";
  }

 private:
  template <class Actual>
  bool judge(const Actual& actual, std::ostream& out) const {
    const std::size_t count = std::size(actual);
    std::vector<std::int64_t> extents = bound_.extents();
    if (extents.empty()) extents = {static_cast<std::int64_t>(count)};
    std::int64_t in_shape = 1;
    for (const std::int64_t extent : extents) in_shape *= extent;
    if (count != std::size(reference_) || in_shape < 0 || static_cast<std::size_t>(in_shape) != count) {
      out << "which has " << count << " elements, the reference " << std::size(reference_) << ", its shape "
          << in_shape;
      return false;
    }
    if (count == 0) {
      out << "of which nothing was compared: both are empty";
      return false;
    }
    using T = std::decay_t<decltype(*std::data(actual))>;
    if constexpr (std::is_floating_point_v<T>) {
      if (!bound_.sizes().empty()) return held_to_bounds(actual, extents, out);
    }
    return judged_by_program(actual, extents, out);
  }

  template <class Actual>
  bool held_to_bounds(const Actual& actual, const std::vector<std::int64_t>& extents, std::ostream& out) const {
    using T = std::decay_t<decltype(*std::data(actual))>;
    using R = std::decay_t<decltype(*std::data(reference_))>;
    const std::size_t count = std::size(actual);
    if (bound_.sizes().size() != count || (bound_.name() != "dot" && bound_.name() != "sum")) {
      out << "whose bound has " << bound_.sizes().size() << " sizes for " << count << " elements, or is of no sum";
      return false;
    }
    std::size_t outside = 0, worst = 0;
    double worst_share = 0, worst_bound = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto is = static_cast<double>(std::data(actual)[i]), exact = static_cast<double>(std::data(reference_)[i]);
      if (std::isnan(is) && std::isnan(exact)) continue;
      if (is == exact) continue;
      double bound = bound_.largest_error<T>(bound_.sizes()[i]);
      // A reference that is not more precise than the result is itself rounded.
      if constexpr (std::is_floating_point_v<R>) {
        if (sizeof(R) <= sizeof(T)) bound += unit_roundoff<R>() * std::fabs(exact);
      }
      const double error = std::fabs(is - exact);
      const double share = error <= bound ? 0 : std::isnan(error) || !(bound > 0) ? HUGE_VAL : error / bound;
      if (share <= 0) continue;
      if (++outside == 1 || share > worst_share) {
        worst = i;
        worst_share = share;
        worst_bound = bound;
      }
    }
    if (outside == 0) return true;
    out.precision(9);
    out << outside << " of whose " << count << " elements are outside their bound, the worst at "
        << agreement::place(worst, extents) << ": " << std::data(actual)[worst] << ", expected "
        << std::data(reference_)[worst] << ", " << worst_share << " times the bound " << worst_bound;
    return false;
  }

  template <class Actual>
  bool judged_by_program(const Actual& actual, const std::vector<std::int64_t>& extents, std::ostream& out) const {
    const agreement::Folder folder;
    if (!folder || !agreement::write_npy(folder.file("a.npy"), std::data(reference_), extents, std::size(reference_)) ||
        !agreement::write_npy(folder.file("b.npy"), std::data(actual), extents, std::size(actual))) {
      out << "which could not be compared: no temporary file can be written";
      return false;
    }
    std::vector<std::string> arguments = {"compare", folder.file("a.npy"), folder.file("b.npy"), "--op", bound_.name()};
    const auto add = [&](const char* option, const auto& value) {
      std::ostringstream text;
      text.precision(17);
      text << value;
      arguments.insert(arguments.end(), {option, text.str()});
    };
    if (bound_.depth() > 0) add("--depth", bound_.depth());
    if (bound_.rtol() >= 0) add("--rtol", bound_.rtol());
    if (bound_.atol() >= 0) add("--atol", bound_.atol());
    const int status = agreement::run(arguments, folder.file("out"));
    if (status == 0) return true;
    std::ifstream file(folder.file("out"));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (status == 1)
      out << "which does not agree:\n" << text;
    else
      out << "which could not be compared by " << agreement::program()
          << " (name it in the variable ENVDOCTOR): exit status " << status << "\n"
          << text;
    return false;
  }

  Reference reference_;
  Bound bound_;
};

// Matches any array of numbers with data() and size(), or a C array; `reference` likewise. Exact types, such as
// integers, must be equal.
template <class Reference>
auto AgreesWith(Reference&& reference, Bound bound) {
  using Given = std::remove_reference_t<Reference>;
  if constexpr (std::is_array_v<Given>) {
    std::array<std::remove_cv_t<std::remove_extent_t<Given>>, std::extent_v<Given>> copy{};
    std::copy(std::begin(reference), std::end(reference), copy.begin());
    return testing::MakePolymorphicMatcher(AgreesWithMatcher<decltype(copy)>(std::move(copy), std::move(bound)));
  } else {
    return testing::MakePolymorphicMatcher(
        AgreesWithMatcher<std::decay_t<Reference>>(std::forward<Reference>(reference), std::move(bound)));
  }
}

}  // namespace envdoctor

#endif

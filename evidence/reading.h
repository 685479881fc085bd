#pragma once
// Reading<T>: a value, or the reason there is none. "Not probed", "absent" and "failed" are three different answers.

#include <string>
#include <type_traits>
#include <utility>

namespace envdoctor {

enum class Outcome { not_probed, absent, failed, present };

// The reason a reading has no value, without its type, so that it can be passed on.
struct Missing {
  Outcome outcome = Outcome::not_probed;
  std::string why{};
};

// "The host has none of this": probed, and not there.
inline Missing absent(std::string why) { return {Outcome::absent, std::move(why)}; }
// "Something stopped us": a permission, a limit, malformed text. When in doubt, use this one.
inline Missing failed(std::string why) { return {Outcome::failed, std::move(why)}; }

template <class T>
class Reading {
 public:
  using Value = T;

  Reading() = default;                                        // not probed
  Reading(Missing missing) : missing_(std::move(missing)) {}  // NOLINT: absent() and failed() convert
  template <class U = T>
  requires(std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, Missing> &&
           !std::is_same_v<std::remove_cvref_t<U>, Reading>) Reading(U&& value)  // NOLINT: a value converts
      : missing_{Outcome::present, {}}, value_(std::forward<U>(value)) {}

  [[nodiscard]] Outcome outcome() const { return missing_.outcome; }
  [[nodiscard]] const std::string& why() const { return missing_.why; }
  // The reason alone, to be passed on as another type's reading.
  [[nodiscard]] const Missing& missing() const { return missing_; }

  // Null unless present: `if (const auto* pci = snapshot.pci.get())`.
  [[nodiscard]] const T* get() const { return outcome() == Outcome::present ? &value_ : nullptr; }
  [[nodiscard]] T* get() { return outcome() == Outcome::present ? &value_ : nullptr; }

  // The value, or an empty one: for loops and comparisons that treat every missing value alike.
  [[nodiscard]] const T& or_empty() const& { return value_; }
  [[nodiscard]] T or_empty() && { return std::move(value_); }
  [[nodiscard]] T value_or(T fallback) const { return get() ? value_ : std::move(fallback); }

  // True only if present and equal; a reading without a value equals no value.
  [[nodiscard]] bool is(const T& value) const { return outcome() == Outcome::present && value_ == value; }

  // f applied to the value, or the same reason. f may return a plain value or a Reading.
  template <class F>
  [[nodiscard]] auto then(F f) const {
    using R = decltype(f(std::declval<const T&>()));
    if constexpr (requires { typename R::Value; } && std::is_constructible_v<R, Missing>) {
      return get() ? f(value_) : R(missing_);
    } else {
      return get() ? Reading<R>(f(value_)) : Reading<R>(missing_);
    }
  }

  // The value to fill in; makes the reading present first.
  T& fill() {
    if (outcome() != Outcome::present) missing_ = {Outcome::present, {}};
    return value_;
  }
  // Sets why there is no value, unless there is one already.
  void lack(Missing missing) { missing_ = std::move(missing); }

  bool operator==(const Reading& other) const {
    return missing_.outcome == other.missing_.outcome && missing_.why == other.missing_.why && value_ == other.value_;
  }

 private:
  Missing missing_{};
  T value_{};  // default-constructed unless present
};

}  // namespace envdoctor

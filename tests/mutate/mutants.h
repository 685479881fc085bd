#pragma once
// Read before every mutated file (tests/mutate/run): one program holds all mutants, and ENVDOCTOR_MUTANT chooses one.
// `a < b` is written `a <Less{7}> b` there: (a < Less{7}) > b, which keeps the precedence that `<` has.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <type_traits>

namespace envdoctor_mutants {

// Which mutants were reached: a file that all processes of a test share, or unused memory.
inline constinit unsigned char nowhere[1 << 16] = {};
inline constinit unsigned char* reached = nowhere;
inline constinit int chosen = 0;

// Before any constant that a mutant stands in is calculated.
[[gnu::constructor(101)]] inline void read_environment() {
  if (const char* text = std::getenv("ENVDOCTOR_MUTANT")) chosen = std::atoi(text);
  const char* file = std::getenv("ENVDOCTOR_MUTANTS_REACHED");
  if (!file || reached != nowhere) return;
  const int opened = open(file, O_RDWR);
  void* memory = mmap(nullptr, sizeof nowhere, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  if (memory != MAP_FAILED) reached = static_cast<unsigned char*>(memory);
  close(opened);
}

inline bool on(int id) {
  reached[id] = 1;
  return chosen == id;
}

template <class A>
struct Left {
  int id;
  const A& a;
};
template <class A, class B>
inline constexpr bool floating = std::is_floating_point_v<A> || std::is_floating_point_v<B>;

// Mutates the border for integers, for others the whole comparison.
#define ENVDOCTOR_MUTANT_COMPARISON(Name, open, close, right, border) \
  struct Name {                                                       \
    int id;                                                           \
  };                                                                  \
  template <class A>                                                  \
  struct Name##Left : Left<A> {};                                     \
  template <class A>                                                  \
  Name##Left<A> operator open(const A& a, Name op) {                  \
    return {{op.id, a}};                                              \
  }                                                                   \
  template <class A, class B>                                         \
  bool operator close(const Name##Left<A>& left, const B& b) {        \
    if (!on(left.id)) return left.a right b;                          \
    if constexpr (floating<A, B>) return !(left.a right b);           \
    return left.a border b;                                           \
  }
ENVDOCTOR_MUTANT_COMPARISON(Less, <, >, <, <=)
ENVDOCTOR_MUTANT_COMPARISON(LessEqual, <, >, <=, <)
ENVDOCTOR_MUTANT_COMPARISON(Greater, <, >, >, >=)
ENVDOCTOR_MUTANT_COMPARISON(GreaterEqual, <, >, >=, >)
ENVDOCTOR_MUTANT_COMPARISON(Equal, !=, !=, ==, !=)
ENVDOCTOR_MUTANT_COMPARISON(NotEqual, !=, !=, !=, ==)

// Leaves out a term or a factor.
#define ENVDOCTOR_MUTANT_TERM(Name, sign)                             \
  struct Name {                                                       \
    int id;                                                           \
  };                                                                  \
  template <class A>                                                  \
  struct Name##Left : Left<A> {};                                     \
  template <class A>                                                  \
  Name##Left<A> operator sign(const A& a, Name op) {                  \
    static_assert(std::is_arithmetic_v<A>);                           \
    return {{op.id, a}};                                              \
  }                                                                   \
  template <class A, class B>                                         \
  auto operator sign(const Name##Left<A>& left, const B& b) {         \
    using Result = decltype(left.a sign b);                           \
    return on(left.id) ? static_cast<Result>(left.a) : left.a sign b; \
  }
ENVDOCTOR_MUTANT_TERM(Plus, +)
ENVDOCTOR_MUTANT_TERM(Minus, -)
ENVDOCTOR_MUTANT_TERM(Times, *)

}  // namespace envdoctor_mutants

#pragma once
// Whether this copy of the program works: known hosts and a known text must give the expected answers,
// and a reference kernel must agree here until a fault is put into it.
#include "kernels/devices/device.h"
#include "knowledge/embedded_tables.h"
#include "reports/reports.h"

namespace envdoctor::self_test {

using knowledge::Embedded;
// The files in app/self_test, by name; the last row has none.
extern const Embedded embedded_files[];

struct SelfTestInput {
  std::string_view healthy_host{};  // a snapshot in which nothing is wrong
  std::string_view broken_host{};   // one with a kernel module and libraries of two versions
  std::string_view log{};           // of programs that reached no driver
  kernels::Fault flaw{};            // in the host's arithmetic, for tests: none
  kernels::Fault fault{};           // that must be noticed
};

// What the program carries, and a fault that flips a bit in the exponent of one element.
SelfTestInput embedded_input();

// Each part in turn; none of them throws. Reads nothing of this host but its processor; the kernels run in children.
std::vector<SelfTestPart> run_self_test(const SelfTestInput& input);

}  // namespace envdoctor::self_test

#pragma once
// Paths of the source tree, the program and the tests' own build. In a separate object file, so that the compiler's
// cache serves every checkout.

namespace envdoctor {

extern const char* const source_folder;
extern const char* const binary_path;
extern const char* const test_build_folder;

}  // namespace envdoctor

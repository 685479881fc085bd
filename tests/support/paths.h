#pragma once
// Where the tree, the program and the tests' own build lie. In one object file of their own, so that the compiler's
// cache serves every checkout.

namespace envdoctor {

extern const char* const source_folder;
extern const char* const binary_path;
extern const char* const test_build_folder;

}  // namespace envdoctor

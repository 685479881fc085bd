#include "tests/support/paths.h"

namespace envdoctor {

const char* const source_folder = ENVDOCTOR_SOURCE;
const char* const binary_path = ENVDOCTOR_BINARY;
const char* const test_build_folder = ENVDOCTOR_TEST_BUILD;

}  // namespace envdoctor

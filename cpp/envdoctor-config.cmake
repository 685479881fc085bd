# find_package(envdoctor): the gate before GPU tests, and the matcher for GoogleTest. See docs/cpp/README.md.
get_filename_component(_envdoctor_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(ENVDOCTOR_PROGRAM envdoctor HINTS "${_envdoctor_prefix}/bin" NO_CMAKE_FIND_ROOT_PATH
  DOC "the program envdoctor")
if(NOT ENVDOCTOR_PROGRAM)
  set(envdoctor_FOUND FALSE)
  set(envdoctor_NOT_FOUND_MESSAGE "the program envdoctor is not in ${_envdoctor_prefix}/bin")
  return()
endif()

if(NOT TARGET envdoctor::program)
  add_executable(envdoctor::program IMPORTED)
  set_target_properties(envdoctor::program PROPERTIES IMPORTED_LOCATION "${ENVDOCTOR_PROGRAM}")
  # Link it together with GTest::gmock: #include <envdoctor/agrees_with.h>
  add_library(envdoctor::agrees_with INTERFACE IMPORTED)
  set_target_properties(envdoctor::agrees_with PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${_envdoctor_prefix}/share/envdoctor/include"
    INTERFACE_COMPILE_DEFINITIONS "ENVDOCTOR_PROGRAM=\"${ENVDOCTOR_PROGRAM}\""
    INTERFACE_COMPILE_FEATURES cxx_std_17)
endif()

# envdoctor_gate([NAME gpu] [TARGET program...] [TESTS test...] [EXPECT gpus=1...] [OPTIONS --skip...]
#                [TIMEOUT seconds])
#
# Adds the test envdoctor.NAME, which fails unless the GPUs of this host can be used and meet EXPECT; it prints
# the cause. It sets up the fixture NAME: tests that require it (FIXTURES_REQUIRED NAME) are not run where it fails.
# TARGET: adds a test that runs this program, and lets it require the fixture. TESTS: lets existing tests require it.
function(envdoctor_gate)
  cmake_parse_arguments(PARSE_ARGV 0 gate "" "NAME;TIMEOUT" "TARGET;TESTS;EXPECT;OPTIONS")
  if(gate_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "envdoctor_gate: no argument ${gate_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT gate_NAME)
    set(gate_NAME gpu)
  endif()
  if(NOT gate_TIMEOUT)
    set(gate_TIMEOUT 60)
  endif()
  if(NOT TEST envdoctor.${gate_NAME})
    list(TRANSFORM gate_EXPECT PREPEND "--expect=")
    add_test(NAME envdoctor.${gate_NAME}
      COMMAND envdoctor::program check --quick --timeout ${gate_TIMEOUT} ${gate_EXPECT} ${gate_OPTIONS})
    math(EXPR limit "${gate_TIMEOUT} + 15")
    set_tests_properties(envdoctor.${gate_NAME} PROPERTIES FIXTURES_SETUP ${gate_NAME} TIMEOUT ${limit})
  elseif(gate_EXPECT OR gate_OPTIONS)
    message(FATAL_ERROR "envdoctor_gate: there is a gate ${gate_NAME} already; give another NAME")
  endif()
  foreach(target ${gate_TARGET})
    add_test(NAME ${target} COMMAND ${target})
  endforeach()
  foreach(test ${gate_TARGET} ${gate_TESTS})
    set_property(TEST ${test} APPEND PROPERTY FIXTURES_REQUIRED ${gate_NAME})
  endforeach()
endfunction()

# What find_package(envdoctor) finds in other projects.
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/envdoctor-config-version.cmake COMPATIBILITY SameMinorVersion
  ARCH_INDEPENDENT)
install(FILES cpp/envdoctor-config.cmake ${CMAKE_BINARY_DIR}/envdoctor-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_DATADIR}/cmake/envdoctor)
# Under share, which a Python wheel includes as well.
install(FILES cpp/include/envdoctor/agrees_with.h DESTINATION ${CMAKE_INSTALL_DATADIR}/envdoctor/include/envdoctor)

# What is installed, and the packages made of it: cpack -G DEB, or, with ENVDOCTOR_PORTABLE, cpack -G TGZ.
include(GNUInstallDirs)

set(pages ${CMAKE_BINARY_DIR}/pages)
file(MAKE_DIRECTORY ${pages})
add_custom_command(
  OUTPUT ${pages}/envdoctor.1.gz ${pages}/changelog.gz ${pages}/envdoctor.bash ${pages}/_envdoctor ${pages}/envdoctor.fish
  COMMAND envdoctor completion man | gzip -9n > ${pages}/envdoctor.1.gz
  COMMAND gzip -9nc ${CMAKE_SOURCE_DIR}/packaging/changelog > ${pages}/changelog.gz
  COMMAND envdoctor completion bash > ${pages}/envdoctor.bash
  COMMAND envdoctor completion zsh > ${pages}/_envdoctor
  COMMAND envdoctor completion fish > ${pages}/envdoctor.fish
  DEPENDS envdoctor packaging/changelog VERBATIM)
add_custom_target(pages ALL DEPENDS ${pages}/envdoctor.1.gz)

install(TARGETS envdoctor)
install(FILES ${pages}/envdoctor.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${pages}/envdoctor.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME envdoctor)
install(FILES ${pages}/_envdoctor DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${pages}/envdoctor.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md packaging/copyright ${pages}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES packaging/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME envdoctor)

if(ENVDOCTOR_PORTABLE)
  target_sources(envdoctor PRIVATE packaging/portable.cpp)
  target_link_options(envdoctor PRIVATE -static-libstdc++ -static-libgcc)
  set_target_properties(envdoctor PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
  # The bundle hands on others' work, linked in or beside it: their terms come along.
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
  foreach(package libpci-dev libhwloc-dev libelf-dev libminizip-dev libfmt-dev libre2-dev libpugixml-dev
      libtomlplusplus-dev libcli11-dev nlohmann-json3-dev rapidjson-dev liblzma-dev libzstd-dev)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses RENAME ${package})
  endforeach()
  # What isn't on every system: all it needs but glibc, zlib and libudev.
  install(CODE [[
    file(GET_RUNTIME_DEPENDENCIES EXECUTABLES "$<TARGET_FILE:envdoctor>" RESOLVED_DEPENDENCIES_VAR needed
      POST_EXCLUDE_REGEXES "/ld-linux" "/lib(c|m|z|udev)\\.so")
    foreach(library ${needed})
      file(INSTALL ${library} DESTINATION "${CMAKE_INSTALL_PREFIX}/lib" FOLLOW_SYMLINK_CHAIN)
    endforeach()]])
endif()

set(CPACK_PACKAGE_NAME envdoctor)
set(CPACK_PACKAGE_CONTACT "envdoctor developers <envdoctor@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "find out whether this machine's GPUs will be used")
set(CPACK_PACKAGE_DESCRIPTION "Looks at GPUs, drivers, libraries, OpenCL and Python environments,
 and names the one cause and the fix where a GPU would not be used.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
if(NOT ENVDOCTOR_PORTABLE)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
endif()
include(CPack)

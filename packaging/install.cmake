# What is installed; packaging/pack packs it.
include(GNUInstallDirs)

set(pages ${CMAKE_BINARY_DIR}/pages)
set(runs_here $<IF:$<BOOL:${ENVDOCTOR_NATIVE}>,${ENVDOCTOR_NATIVE}/envdoctor,$<TARGET_FILE:envdoctor>>)
file(MAKE_DIRECTORY ${pages})
add_custom_command(
  OUTPUT ${pages}/envdoctor.1.gz ${pages}/changelog.gz ${pages}/envdoctor.bash ${pages}/_envdoctor ${pages}/envdoctor.fish
  COMMAND ${runs_here} completion man | gzip -9n > ${pages}/envdoctor.1.gz
  COMMAND gzip -9nc ${CMAKE_SOURCE_DIR}/packaging/changelog > ${pages}/changelog.gz
  COMMAND ${runs_here} completion bash > ${pages}/envdoctor.bash
  COMMAND ${runs_here} completion zsh > ${pages}/_envdoctor
  COMMAND ${runs_here} completion fish > ${pages}/envdoctor.fish
  DEPENDS envdoctor packaging/changelog VERBATIM)
add_custom_target(pages ALL DEPENDS ${pages}/envdoctor.1.gz)

install(TARGETS envdoctor)
install(FILES ${pages}/envdoctor.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${pages}/envdoctor.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME envdoctor)
install(FILES ${pages}/_envdoctor DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${pages}/envdoctor.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# The first page is the main one: of two files with one name the installed one would depend on their times.
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} REGEX "/docs/README\\.md$" EXCLUDE)
install(FILES README.md packaging/copyright ${pages}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES packaging/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME envdoctor)

# Run by cpack when what goes into a package lies in its folder and is about to be packed.
if(CPACK_SOURCE_INSTALLED_DIRECTORIES)  # an archive of the source, which has no git to ask
  file(GLOB stamps ${CPACK_TEMPORARY_DIRECTORY}/src/commit.txt ${CPACK_TEMPORARY_DIRECTORY}/*/src/commit.txt)
  if(NOT stamps)
    message(FATAL_ERROR "no src/commit.txt in ${CPACK_TEMPORARY_DIRECTORY}")
  endif()
  foreach(stamp ${stamps})
    file(WRITE ${stamp} "${CPACK_ECHO_COMMIT}\n")
  endforeach()
elseif(CPACK_GENERATOR STREQUAL "DEB")  # cpack would leave out the libraries in silence
  find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
  find_program(FILE_PROGRAM file)
  if(NOT DPKG_SHLIBDEPS OR NOT FILE_PROGRAM)
    message(FATAL_ERROR "a Debian package needs dpkg-shlibdeps and file: apt-get install dpkg-dev file")
  endif()
endif()

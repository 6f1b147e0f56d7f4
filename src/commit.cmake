# ECHO_COMMIT, the commit a source tree was taken from: what whoever packages it says (-DECHO_COMMIT=...), else what git
# says, else what commit.txt holds: `git archive` and `cpack` of the source write it there. "unknown" where nobody knows.
# By itself it prints it:   cmake -P src/commit.cmake
if(NOT ECHO_COMMIT)
  file(REAL_PATH ${CMAKE_CURRENT_LIST_DIR}/.. tree)
  execute_process(COMMAND git rev-parse --show-toplevel WORKING_DIRECTORY ${tree} OUTPUT_VARIABLE repository
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(repository STREQUAL tree)  # not one that a tree without git happens to lie in
    execute_process(COMMAND git describe --always --dirty WORKING_DIRECTORY ${tree} OUTPUT_VARIABLE ECHO_COMMIT
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  else()
    file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/commit.txt ECHO_COMMIT REGEX "^[0-9a-f]+(-dirty)?$")
  endif()
  if(NOT ECHO_COMMIT)
    set(ECHO_COMMIT unknown)
  endif()
endif()
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  message(NOTICE ${ECHO_COMMIT})
endif()

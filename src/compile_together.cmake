# Quick builds from scratch (ECHO_UNITY). Most of the time of compiling one of our files goes to headers and templates that its
# neighbours need, too: so sources are compiled in groups, and the headers that all of them include are compiled beforehand.
# Without ECHO_UNITY each source is compiled alone and both functions do nothing.
set(group_bytes 60000)  # of source; more would leave one of two cores idle at the end

# A target whose precompiled headers others reuse; they must be compiled with the same flags.
function(echo_precompile name)
  if(NOT ECHO_UNITY)
    return()
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${name}.cpp CONTENT "// has precompiled headers made\n")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/generated/${name}.cpp)
  target_link_libraries(${name} PRIVATE echo_options)
  target_compile_options(${name} PUBLIC $<IF:$<CXX_COMPILER_ID:GNU>,-fpch-preprocess,SHELL:-Xclang -fno-pch-timestamp>)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

# Groups `sources` of a target; unity_groups.py keeps apart those whose private names would meet.
function(echo_compile_together target precompiled)
  if(NOT ECHO_UNITY)
    return()
  endif()
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
               ${CMAKE_SOURCE_DIR}/src/unity_groups.py ${ARGN})  # a new private name regroups
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/src/unity_groups.py ${group_bytes} ${ARGN}
                  OUTPUT_VARIABLE groups COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" groups "${groups}")
  foreach(line ${groups})
    string(REGEX MATCH "^([0-9]+) (.*)$" line "${line}")
    set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP group_${CMAKE_MATCH_1})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_precompile_headers(${target} REUSE_FROM ${precompiled})
  target_compile_options(${target} PRIVATE $<TARGET_PROPERTY:${precompiled},INTERFACE_COMPILE_OPTIONS>)
endfunction()

# What `cmake --install` and `cpack` put below the prefix. The folders are fixed: the program finds its catalog in
# ../share/echo-sweep/catalog (config/catalog/built_in_catalog.hpp). The build tree has the same shape, with a link to the catalog.
# echo-calibrate is not installed: it fits the catalog of a source tree.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # tests need not be built to install
set(share ${CMAKE_BINARY_DIR}/share)
file(MAKE_DIRECTORY ${share}/echo-sweep/schemas ${share}/man/man1 ${share}/bash-completion/completions
                    ${share}/zsh/site-functions)

# Relative, so that a source tree moves with its build folder; between real paths, since either may be behind a link.
file(REAL_PATH ${CMAKE_SOURCE_DIR}/sweeps/catalog catalog)
file(REAL_PATH ${share}/echo-sweep beside)
file(RELATIVE_PATH catalog ${beside} ${catalog})
file(CREATE_LINK ${catalog} ${share}/echo-sweep/catalog SYMBOLIC)

# The Python package, for `echo-sweep report` of a build tree; an installed program has echo-sweep-results beside it.
file(REAL_PATH ${CMAKE_SOURCE_DIR}/analysis package)
file(RELATIVE_PATH package ${beside} ${package})
file(CREATE_LINK ${package} ${share}/echo-sweep/python SYMBOLIC)

# Pages, completion and the schema for editors are what the program itself prints; presets of who builds it stay out.
set(texts "")
function(echo_text path)
  add_custom_command(OUTPUT ${share}/${path} DEPENDS echo-sweep ${catalog_files}
    COMMAND ${CMAKE_COMMAND} -E env --unset=ECHO_CATALOG_DIR XDG_CONFIG_HOME=${share}/none
            $<TARGET_FILE:echo-sweep> ${ARGN} > ${share}/${path})
  get_filename_component(folder ${path} DIRECTORY)
  install(FILES ${share}/${path} DESTINATION share/${folder} COMPONENT program)
  set(texts ${texts} ${share}/${path} PARENT_SCOPE)
endfunction()
file(GLOB_RECURSE catalog_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sweeps/catalog/*.toml)
echo_text(man/man1/echo-sweep.1 man)
echo_text(bash-completion/completions/echo-sweep completion bash)
echo_text(zsh/site-functions/_echo-sweep completion zsh)
echo_text(echo-sweep/schemas/sweep.schema.json schema)
add_custom_target(echo-sweep-texts ALL DEPENDS ${texts})

set_target_properties(echo-sweep PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS echo-sweep RUNTIME DESTINATION bin COMPONENT program)
install(DIRECTORY sweeps/catalog DESTINATION share/echo-sweep COMPONENT program)
install(DIRECTORY sweeps DESTINATION share/echo-sweep COMPONENT program PATTERN catalog EXCLUDE)
install(DIRECTORY hdf5_schemas/ DESTINATION share/echo-sweep/schemas COMPONENT program
        FILES_MATCHING PATTERN "*.toml" PATTERN "*.md" PATTERN __pycache__ EXCLUDE)
install(DIRECTORY slurm DESTINATION share/echo-sweep COMPONENT program)
install(FILES README.md DESTINATION share/doc/echo-sweep COMPONENT program)
install(FILES LICENSE DESTINATION share/doc/echo-sweep RENAME copyright COMPONENT program)
install(CODE "set(python \"${Python3_EXECUTABLE}\")
set(scratch \"${share}\")
set(package \"${CMAKE_SOURCE_DIR}/analysis/echo_sweep\")
include(\"${CMAKE_SOURCE_DIR}/src/install_python.cmake\")" COMPONENT python)

# Where the CUDA toolkit was found. Their libraries are NVIDIA's, which no package of ours can pull.
foreach(program echo-gpu-info echo-overlap echo-profile)
  if(TARGET ${program})
    set_target_properties(${program} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS ${program} RUNTIME DESTINATION bin COMPONENT profilers)
  endif()
endforeach()
foreach(library echo_nccl echo_inject)
  if(TARGET ${library})
    set_target_properties(${library} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS ${library} LIBRARY DESTINATION lib/echo-sweep COMPONENT profilers)
  endif()
endforeach()

# --- packages ---------------------------------------------------------------------------------------------------
set(CPACK_PACKAGE_CONTACT "the echo-sweep authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulate layouts of large-model training and rank them")
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL program python)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_SET_DESTDIR ON)  # the Python package asks the prefix it is to run under
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/src/before_packing.cmake)
set(CPACK_ECHO_COMMIT ${ECHO_COMMIT})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS openmpi-bin)  # mpirun
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-h5py, python3-numpy")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-matplotlib, python3-netcdf4, python3-pandas, python3-xarray")
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_IGNORE_FILES "^${CMAKE_SOURCE_DIR}/build/" "^${CMAKE_SOURCE_DIR}/shared/" "/\\\\.git(/|$)" "/__pycache__/"
                              "\\\\.h5(/|$|\\\\.)")
include(CPack)

# Installs the Python package where the interpreter of the prefix looks for packages, and its two programs beside
# echo-sweep. Set: python, an interpreter for prefixes that have none; package, the folder to install;
# scratch, a folder to write in.
set(here ${python})
if(EXISTS ${CMAKE_INSTALL_PREFIX}/bin/python3)  # the system's, or that of a virtual environment
  set(here ${CMAKE_INSTALL_PREFIX}/bin/python3)
endif()
execute_process(COMMAND ${here} -c [=[
import site, sys
below = sys.argv[1].rstrip("/") + "/"
known = [path for path in [*site.getsitepackages(), site.getusersitepackages()] if path.startswith(below + "lib/")]
print((known or ["lib/python%d.%d/site-packages" % sys.version_info[:2]])[0].removeprefix(below), end="")
]=] ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE folder COMMAND_ERROR_IS_FATAL ANY)
file(INSTALL ${package} DESTINATION ${CMAKE_INSTALL_PREFIX}/${folder} PATTERN __pycache__ EXCLUDE)

foreach(program "echo-sweep-results;echo_sweep" "echo-trace;echo_sweep.tracer")
  list(GET program 0 name)
  list(GET program 1 module)
  set(written ${scratch}/${name})
  file(WRITE ${written} "#!${here}
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), \"${folder}\"))
from ${module}.__main__ import main  # noqa: E402

sys.exit(main())
")
  file(INSTALL ${written} DESTINATION ${CMAKE_INSTALL_PREFIX}/bin TYPE PROGRAM)
endforeach()

# Installs python/ as its users do, but against the installed package talus, and runs its tests: cmake -D PYTHON=python3
# -D SOURCE=python -D ENVIRONMENT=DIR -D PREFIX=DIR -D PREFIX_PATH=.. -D GENERATOR=Ninja -D COMPILER=c++ -P python.cmake

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with status ${status}")
  endif()
endfunction()

if(NOT PYTHON)
  message(FATAL_ERROR "There is no Python 3. Debian: apt install python3-dev python3-venv")
endif()
file(REMOVE_RECURSE "${ENVIRONMENT}")
run("${PYTHON}" -m venv "${ENVIRONMENT}")
file(GLOB bin "${ENVIRONMENT}/bin" "${ENVIRONMENT}/Scripts")

set(ENV{talus_ROOT} "${PREFIX}")
set(ENV{CMAKE_PREFIX_PATH} "${PREFIX_PATH}")
set(ENV{CMAKE_GENERATOR} "${GENERATOR}")
set(ENV{CXX} "${COMPILER}")
set(ENV{PIP_DISABLE_PIP_VERSION_CHECK} 1)
# --no-compile: byte code of all modules of vtk, ovito and others took 5 s of one core, and few are used.
# The module's files are compiled as one, which takes 26 s of one core instead of 43 s.
run("${bin}/pip" install --quiet --no-compile -C cmake.define.TALUS_INSTALLED=ON -C cmake.define.CMAKE_UNITY_BUILD=ON "${SOURCE}[test]")
# Of numpy, whose matrices here are small: threads that wait for one another took five times the time of one in the tests of talus.fit.
set(ENV{OPENBLAS_NUM_THREADS} 1)
set(ENV{OMP_NUM_THREADS} 1)
run("${bin}/pytest" "${SOURCE}")

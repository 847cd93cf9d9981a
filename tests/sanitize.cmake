# Configures and builds the sanitized tests and the fuzzers in a folder of their own, with Clang:
# cmake -DCXX=.. -DCC=.. -DSOURCE=.. -DBINARY=.. -P sanitize.cmake
if(NOT CXX OR NOT CC)
  message(FATAL_ERROR "The sanitizers and the fuzzers need clang and clang++ with libFuzzer, which were not found. ./test.sh "
    "installs them on Debian; docs/building.md lists them elsewhere")
endif()
# Another path of the same compiler would compile everything anew: the one that configured the folder first stays.
if(EXISTS "${BINARY}/CMakeCache.txt")
  load_cache("${BINARY}" READ_WITH_PREFIX before_ CMAKE_C_COMPILER CMAKE_CXX_COMPILER)
  if(EXISTS "${before_CMAKE_C_COMPILER}" AND EXISTS "${before_CMAKE_CXX_COMPILER}")
    set(CC "${before_CMAKE_C_COMPILER}")
    set(CXX "${before_CMAKE_CXX_COMPILER}")
  endif()
endif()
foreach(step
    "--preset;sanitize;-S;${SOURCE};-B;${BINARY};-DCMAKE_C_COMPILER=${CC};-DCMAKE_CXX_COMPILER=${CXX}"
    "--build;${BINARY};--target;talus_sanitized_tests;talus_fuzzers;--parallel;1")
  execute_process(COMMAND ${CMAKE_COMMAND} ${step} WORKING_DIRECTORY "${SOURCE}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()

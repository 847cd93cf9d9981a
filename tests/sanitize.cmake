# Configures and builds the sanitized tests and the fuzzers in a folder of their own, with Clang:
# cmake -DCXX=.. -DCC=.. -DSOURCE=.. -DBINARY=.. -P sanitize.cmake
if(NOT CXX OR NOT CC)
  message(FATAL_ERROR "The sanitizers and the fuzzers need clang and clang++ with libFuzzer, which were not found. ./test.sh "
    "installs them on Debian; README.md lists them elsewhere")
endif()
foreach(step
    "--preset;sanitize;-S;${SOURCE};-B;${BINARY};-DCMAKE_C_COMPILER=${CC};-DCMAKE_CXX_COMPILER=${CXX}"
    "--build;${BINARY};--target;talus_sanitized_tests;talus_fuzzers;--parallel;1")
  execute_process(COMMAND ${CMAKE_COMMAND} ${step} WORKING_DIRECTORY "${SOURCE}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()

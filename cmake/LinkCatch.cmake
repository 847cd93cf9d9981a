# Catch2, version 3 or 2: talus_find_catch(), and talus_link_catch(target) with its main function.

macro(talus_find_catch)
  find_package(Catch2 3 CONFIG QUIET)
  if(NOT Catch2_FOUND)
    find_package(Catch2 2 CONFIG QUIET)
  endif()
  if(NOT Catch2_FOUND)
    message(FATAL_ERROR "The tests need Catch2, which was not found. Debian: apt install catch2. Elsewhere: see docs/building.md. "
      "Without tests: -D TALUS_BUILD_TESTS=OFF")
  endif()
  if(NOT TARGET Catch2::Catch2WithMain)
    file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/tests/catch2_main.cpp"
      CONTENT "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n")
  endif()
endmacro()

function(talus_link_catch target)
  if(TARGET Catch2::Catch2WithMain)
    target_link_libraries(${target} PRIVATE Catch2::Catch2WithMain)
  else()
    target_link_libraries(${target} PRIVATE Catch2::Catch2)
    target_sources(${target} PRIVATE "${PROJECT_BINARY_DIR}/tests/catch2_main.cpp")
  endif()
  set_source_files_properties("${PROJECT_BINARY_DIR}/tests/catch2_main.cpp" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

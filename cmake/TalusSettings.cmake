# How everything of Talus is compiled.

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(PROJECT_IS_TOP_LEVEL AND NOT multi_config AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()

option(TALUS_ASSERTIONS "Check the engine's invariants (engine/base/assert.h); Debug builds always do" OFF)
set(TALUS_SANITIZE "" CACHE STRING "Sanitizers that everything is compiled with, as -fsanitize= names them: address,undefined")

option(TALUS_UNITY "Compile each folder of the engine as one file: for a build that compiles everything once" OFF)

# Options of code that no step of a simulation waits for: a build for the tests waits for the compiler rather.
# engine/scene takes 48 s of one core with -O3 and 28 s with -O1, viewer/live 26 s and 18 s.
set(talus_unwaited "$<$<AND:$<BOOL:${TALUS_UNITY}>,$<BOOL:${TALUS_BUILD_TESTS}>,$<CONFIG:Release>,$<NOT:$<CXX_COMPILER_ID:MSVC>>>:-O1>")

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")
endif()

# Floating point stays as written: no contraction into fused operations and no fast-math, so that results depend
# on the compiler as little as possible; nobody reads errno or floating-point exceptions. Vulkan's structs are meant to be initialised up to their sType alone.
function(talus_compile_settings target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_features(${target} PRIVATE cxx_std_20)
  # With them the standard library looks at each index into a vector or a span, where it can.
  target_compile_definitions(${target} PRIVATE
    "$<$<OR:$<BOOL:${TALUS_ASSERTIONS}>,$<CONFIG:Debug>>:TALUS_ASSERTIONS;_GLIBCXX_ASSERTIONS>")
  if(TALUS_SANITIZE)
    # Whatever is wrong ends the program. What the address sanitizer finds is not looked for once more, null pointers and the bounds
    # of objects: a quarter of the time that Clang 16 takes to compile.
    target_compile_options(${target} PRIVATE -fsanitize=${TALUS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
      $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=null,object-size>)
    target_link_options(${target} PRIVATE -fsanitize=${TALUS_SANITIZE})
    if(TALUS_BUILD_FUZZERS)  # whose objects the sanitized tests share
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
  endif()
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 /utf-8 /fp:precise $<$<COMPILE_LANGUAGE:CXX>:/permissive->)
    target_compile_definitions(${target} PRIVATE NOMINMAX _CRT_SECURE_NO_WARNINGS)
  else()
    target_compile_options(${target} PRIVATE -ffp-contract=off -fno-math-errno -fno-trapping-math
      $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wno-missing-field-initializers>)
    if(TALUS_NATIVE)
      target_compile_options(${target} PRIVATE -march=native)
    endif()
    if(TALUS_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # GCC collects its garbage from 1 GB on instead of 128 MB, since each collection looks through all that a folder has: engine/scene
      # takes 34 s of one core to compile instead of 38 s, and 2.2 GB instead of 1.7 GB of memory; a file of tests 19 s instead of 25 s.
      target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-heapsize=1000000")
    endif()
  endif()
endfunction()

# Parses the headers that most files of the target include once: cmake/precompiled.h and those given. Not where ccache compiles,
# since a precompiled header makes it miss what another folder has compiled.
function(talus_precompile target)
  if(CCACHE)
    return()
  endif()
  foreach(header "${PROJECT_SOURCE_DIR}/cmake/precompiled.h" ${ARGN})
    target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
  endforeach()
endfunction()

# With TALUS_UNITY, compiles the target's files of each folder as one, so that headers are parsed and templates instantiated
# once for a folder instead of once for a file. Names in anonymous namespaces have to be unique within a folder therefore.
# With a number after the target, at most that many files become one, so that several cores have work.
function(talus_unite target)
  if(NOT TALUS_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  cmake_path(GET CMAKE_CURRENT_FUNCTION_LIST_DIR PARENT_PATH root)
  get_target_property(files ${target} SOURCES)
  list(FILTER files INCLUDE REGEX "^${root}/.*\\.cpp$")
  list(SORT files)
  set(place 0)
  foreach(file IN LISTS files)
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(GET folder FILENAME name)
    if(ARGC GREATER 1)
      math(EXPR batch "${place} / ${ARGV1}")
      math(EXPR place "${place} + 1")
      string(APPEND name ${batch})
    endif()
    set_source_files_properties("${file}" PROPERTIES UNITY_GROUP ${name})
  endforeach()
endfunction()

# Sets a property of the one file that talus_unite() makes of a group of the target's files. CMake leaves a file that has options
# or definitions of its own out of its group.
function(talus_unite_property target group property)
  set_property(SOURCE "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${group}_cxx.cxx"
    PROPERTY ${property} ${ARGN})
endfunction()

# What talus::engine is built from. The installed package reads this file too, for whoever links the static library.
# Each message names the package in Debian; README.md names it elsewhere.

macro(talus_need package debian)
  find_package(${package} CONFIG QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    talus_missing(${package} ${debian})
  endif()
endmacro()

macro(talus_missing package debian)
  set(reason "Talus needs ${package}, which was not found. Debian: apt install ${debian}. Elsewhere: see README.md")
  if(CMAKE_FIND_PACKAGE_NAME STREQUAL "talus")
    set(talus_FOUND FALSE)
    set(talus_NOT_FOUND_MESSAGE "${reason}")
    return()
  endif()
  message(FATAL_ERROR "${reason}")
endmacro()

talus_need(assimp libassimp-dev)
# What assimp links; its Debian package does not bring it along.
find_package(ZLIB QUIET)
if(NOT ZLIB_FOUND)
  talus_missing(zlib zlib1g-dev)
endif()
talus_need(fmt libfmt-dev)
talus_need(glm libglm-dev)
talus_need(muparser libmuparser-dev)
talus_need(nlohmann_json nlohmann-json3-dev)
talus_need(spirv_cross_core libspirv-cross-c-shared-dev)
talus_need(TBB libtbb-dev)
talus_need(tomlplusplus libtomlplusplus-dev)
talus_need(VulkanHeaders libvulkan-dev)

# volk has a CMake package on some systems. Others, Debian among them, carry volk.h and volk.c alone; volk.c is then compiled
# into talus::engine.
find_package(volk CONFIG QUIET)
if(TARGET volk::volk)
  set(TALUS_VOLK_TARGET volk::volk)
  set(TALUS_VOLK_SOURCE "")
else()
  find_path(TALUS_VOLK_INCLUDE_DIR volk.c PATH_SUFFIXES volk)  # by volk.c: GNU Radio has a volk.h, too
  mark_as_advanced(TALUS_VOLK_INCLUDE_DIR)
  if(NOT TALUS_VOLK_INCLUDE_DIR)
    talus_missing(volk libvulkan-volk-dev)
  endif()
  set(TALUS_VOLK_SOURCE "${TALUS_VOLK_INCLUDE_DIR}/volk.c")
  set(TALUS_VOLK_TARGET talus::volk_headers)
  if(NOT TARGET talus::volk_headers)
    add_library(talus::volk_headers INTERFACE IMPORTED)
    set_target_properties(talus::volk_headers PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${TALUS_VOLK_INCLUDE_DIR}"
      INTERFACE_LINK_LIBRARIES Vulkan::Headers)
  endif()
endif()

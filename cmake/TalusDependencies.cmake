# What talus::engine is built from. The installed package reads this file too, for whoever links the static library.
# Each message names the package in Debian; docs/building.md names it elsewhere.

macro(talus_need package debian)
  find_package(${package} CONFIG QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    talus_missing(${package} ${debian})
  endif()
endmacro()

macro(talus_missing package debian)
  set(reason "Talus needs ${package}, which was not found. Debian: apt install ${debian}. Elsewhere: see docs/building.md")
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
talus_need(pugixml libpugixml-dev)
talus_need(spirv_cross_core libspirv-cross-c-shared-dev)
talus_need(TBB libtbb-dev)
talus_need(tomlplusplus libtomlplusplus-dev)
talus_need(urdfdom liburdfdom-dev)
talus_need(VulkanHeaders libvulkan-dev)

# volk: the header and volk.c beside it, which talus::engine compiles under names of its own (cmake/VolkNames.cmake). Some systems
# have a CMake package of it, others, Debian among them, only the two files.
find_package(volk CONFIG QUIET)
set(volk_folder "")
if(TARGET volk::volk_headers)
  get_target_property(volk_folder volk::volk_headers INTERFACE_INCLUDE_DIRECTORIES)
endif()
find_path(TALUS_VOLK_INCLUDE_DIR volk.c HINTS ${volk_folder} PATH_SUFFIXES volk)  # by volk.c: GNU Radio has a volk.h, too
mark_as_advanced(TALUS_VOLK_INCLUDE_DIR)
if(NOT TALUS_VOLK_INCLUDE_DIR)
  talus_missing(volk libvulkan-volk-dev)
endif()
if(NOT TARGET talus::volk_headers)
  add_library(talus::volk_headers INTERFACE IMPORTED)
  set_target_properties(talus::volk_headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${TALUS_VOLK_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES Vulkan::Headers)
endif()

# HDF5, which the format vtkhdf needs: where it is missing, Talus does without that format. An installed package needs what it was
# built with.
find_path(TALUS_HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(TALUS_HDF5_LIBRARY NAMES hdf5_serial hdf5)
mark_as_advanced(TALUS_HDF5_INCLUDE_DIR TALUS_HDF5_LIBRARY)
if(TALUS_HDF5_INCLUDE_DIR AND TALUS_HDF5_LIBRARY)
  if(NOT TARGET talus::hdf5)
    add_library(talus::hdf5 INTERFACE IMPORTED)
    set_target_properties(talus::hdf5 PROPERTIES INTERFACE_LINK_LIBRARIES "${TALUS_HDF5_LIBRARY}")
  endif()
elseif(talus_WITH_HDF5)
  talus_missing(HDF5 libhdf5-dev)
endif()

# libtiff, for heights of the ground: as HDF5, it may be missing. From 4.5 on a file has handlers of errors of its own.
find_package(TIFF 4.5 QUIET)
if(NOT TIFF_FOUND AND talus_WITH_TIFF)
  talus_missing(TIFF libtiff-dev)
endif()

# stb, header only: the target Stb::Stb, for #include <stb_image_write.h>.
find_path(Stb_INCLUDE_DIR stb_image_write.h PATH_SUFFIXES stb)
mark_as_advanced(Stb_INCLUDE_DIR)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Stb REQUIRED_VARS Stb_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian: apt install libstb-dev. Elsewhere: see docs/building.md.")
if(Stb_FOUND AND NOT TARGET Stb::Stb)
  add_library(Stb::Stb INTERFACE IMPORTED)
  target_include_directories(Stb::Stb INTERFACE "${Stb_INCLUDE_DIR}")
endif()

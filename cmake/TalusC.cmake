# The shared library libtalus with the C interface of engine/c/talus_c.h, its part of the installed package (component c), and
# talus.pc for those who do not build with CMake.

file(STRINGS "${PROJECT_SOURCE_DIR}/engine/c/talus_c.h" version_lines REGEX "^#define TALUS_VERSION_")
list(TRANSFORM version_lines REPLACE "^.* " "")
list(JOIN version_lines "." header_version)
if(NOT header_version STREQUAL PROJECT_VERSION)
  message(FATAL_ERROR "engine/c/talus_c.h is of version ${header_version}, and the project of ${PROJECT_VERSION}")
endif()

file(GLOB c_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/engine/c/*.cpp")
add_library(talus_c SHARED ${c_sources})
add_library(talus::c ALIAS talus_c)
# The number of the binary interface: see talus_c.h. It changes when something goes away or changes its meaning.
set_target_properties(talus_c PROPERTIES EXPORT_NAME c OUTPUT_NAME talus PDB_NAME talus_c
  VERSION ${PROJECT_VERSION} SOVERSION 0 CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_compile_definitions(talus_c PRIVATE TALUS_C_BUILD)
target_include_directories(talus_c INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/engine/c>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_libraries(talus_c PRIVATE talus::engine)
talus_compile_settings(talus_c)
target_compile_options(talus_c PRIVATE "${talus_unwaited}")
talus_precompile(talus_c)
talus_unite(talus_c)
# The engine is compiled for programs as well, so that its symbols are hidden here, where they are linked.
if(APPLE)
  target_link_options(talus_c PRIVATE "LINKER:-exported_symbol,_talus_*")
elseif(UNIX)
  set(version_script "${PROJECT_SOURCE_DIR}/engine/c/talus_c.map")
  target_link_options(talus_c PRIVATE "LINKER:--version-script=${version_script}")
  set_property(TARGET talus_c APPEND PROPERTY LINK_DEPENDS "${version_script}")
endif()

# An export of its own, which needs none of what the static libraries do.
install(TARGETS talus_c EXPORT talus_c
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT talus_c NAMESPACE talus:: FILE talusCTargets.cmake DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/talus")
install(FILES "${PROJECT_SOURCE_DIR}/engine/c/talus_c.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
# By its own place, so that the installed package may be moved.
file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" up "${up}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/talus.pc.in" "${PROJECT_BINARY_DIR}/talus.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/talus.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

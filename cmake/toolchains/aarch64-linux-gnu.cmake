# For arm64 Linux, by Debian's cross compiler g++-aarch64-linux-gnu. The libraries are those of the folder TALUS_SYSROOT (a CMake or an
# environment variable), which scripts/arm64.sh fills with Debian's arm64 packages. Programs run under qemu-aarch64-static.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

if(NOT TALUS_SYSROOT)
  set(TALUS_SYSROOT "$ENV{TALUS_SYSROOT}")
endif()
if(TALUS_SYSROOT)
  set(CMAKE_SYSROOT "${TALUS_SYSROOT}")
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L "${TALUS_SYSROOT}")
else()  # the C and C++ libraries of the cross compiler alone
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L /usr/aarch64-linux-gnu)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TALUS_SYSROOT)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)


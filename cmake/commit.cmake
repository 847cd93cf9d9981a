# Writes the header that holds the commit which is built, where git knows it; only where it has changed.
execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(text "inline constexpr const char* talus_commit = \"${commit}\";\n")
if(EXISTS "${OUT}")
  file(READ "${OUT}" before)
endif()
if(NOT text STREQUAL "${before}")
  file(WRITE "${OUT}" "${text}")
endif()

# cmake -D SOURCE=DIR -D TEMPLATE=FILE -D HEADER=FILE -D GIT=git -D VERSION= -D COMPILER= -D FLAGS= -D TYPE= -P this: writes the
# header with the commit of the tree, "-dirty" where files differ from it. A header that is as it should be is left alone.
set(commit "")
if(GIT)
  execute_process(COMMAND "${GIT}" -C "${SOURCE}" describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
configure_file("${TEMPLATE}" "${HEADER}" @ONLY)

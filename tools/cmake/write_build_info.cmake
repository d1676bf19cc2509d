# Run by every build (cmake -P): writes build_info.cpp with the commit, only when it differs, so that
# nothing is compiled again in vain.
# Inputs: SOURCE_DIR, TEMPLATE, OUTPUT, VERSION, RELEASE_DATE, COMPILER, CUDA.
set(COMMIT "")
find_program(GIT git)
if(GIT AND EXISTS "${SOURCE_DIR}/.git")
    execute_process(
        COMMAND ${GIT} -C ${SOURCE_DIR} describe --always --abbrev=12 --exclude=* --dirty=-changed
        OUTPUT_VARIABLE COMMIT
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)

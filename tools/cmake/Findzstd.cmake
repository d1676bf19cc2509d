# zstd::zstd: Debian's libzstd-dev has no CMake package. Installed beside keyswap-config.cmake, so that
# the exported targets name no path of the machine that built them.
find_path(zstd_INCLUDE_DIR zstd.h)
find_library(zstd_LIBRARY zstd)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
    zstd
    REQUIRED_VARS zstd_LIBRARY zstd_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "install libzstd-dev, or set zstd_LIBRARY and zstd_INCLUDE_DIR")
if(zstd_FOUND AND NOT TARGET zstd::zstd)
    add_library(zstd::zstd UNKNOWN IMPORTED)
    set_target_properties(zstd::zstd PROPERTIES IMPORTED_LOCATION "${zstd_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                                    "${zstd_INCLUDE_DIR}")
endif()
mark_as_advanced(zstd_INCLUDE_DIR zstd_LIBRARY)

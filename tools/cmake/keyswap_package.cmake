# Install rules and the CMake package: find_package(keyswap) gives keyswap::traces, keyswap::model,
# keyswap::simulator and, where CUDA was built, keyswap::kernels; with COMPONENTS c keyswap::c alone, which packages
# have too; with COMPONENTS testing also
# keyswap::testing, for which GoogleTest and RapidCheck have to be there; with COMPONENTS ranks, where MPI was
# found, keyswap::ranks. Included last, when every target is known.
include(CMakePackageConfigHelpers)

if(KEYSWAP_DEVICE_FAULTS)
    install(CODE "message(FATAL_ERROR \"This build sorts wrongly on purpose (KEYSWAP_DEVICE_FAULTS) and is not installed. Configure another one.\")")
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/keyswap)
set_target_properties(keyswap_options PROPERTIES EXPORT_NAME options)
set(packaged_targets keyswap_options)
set(KEYSWAP_PACKAGES_SIMULATOR OFF)
set(KEYSWAP_PACKAGES_KERNELS OFF)
set(without_mpi PATTERN "model/mpi" EXCLUDE)
if(TARGET keyswap_ranks)
    list(APPEND packaged_targets keyswap_ranks)
    set(without_mpi "")
endif()
# The headers for code that nvcc compiles, and what they include; other .cuh files are the library's own.
set(for_nvcc "")
foreach(header IN ITEMS multisplit permute sample_sort shuffle record_kernels record_moves tile_ranks)
    list(APPEND for_nvcc PATTERN "${header}.cuh")
endforeach()
foreach(folder IN ITEMS traces model simulator kernels)
    if(NOT TARGET keyswap_${folder})
        continue()
    endif()
    list(APPEND packaged_targets keyswap_${folder})
    string(TOUPPER ${folder} upper)
    set(KEYSWAP_PACKAGES_${upper} ON)
    install(
        DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/keyswap
        FILES_MATCHING
        PATTERN "*.hpp"
        ${for_nvcc}
        PATTERN "device_faults.hpp" EXCLUDE
        ${without_mpi})
endforeach()
if(TARGET keyswap_simulator AND NOT TARGET keyswap_kernels)
    # The headers of the kernels' exchange plan, and those that they include.
    file(GLOB waiting RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/exchange_plan/*.hpp)
    list(FILTER waiting EXCLUDE REGEX "_test\\.hpp$")
    set(plan_headers)
    while(waiting)
        list(POP_FRONT waiting header)
        if(header IN_LIST plan_headers)
            continue()
        endif()
        list(APPEND plan_headers ${header})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${header})
        file(STRINGS ${PROJECT_SOURCE_DIR}/${header} includes REGEX "^#include \"kernels/")
        list(TRANSFORM includes REPLACE "^#include \"(.*)\".*" "\\1")
        list(APPEND waiting ${includes})
        get_filename_component(room ${header} DIRECTORY)
        install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/keyswap/${room})
    endwhile()
endif()
list(APPEND packaged_targets keyswap_exchange_plan keyswap_testing)
install(
    DIRECTORY ${PROJECT_SOURCE_DIR}/proptests/testing
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/keyswap/proptests
    FILES_MATCHING
    PATTERN "*.hpp")
if(TARGET keyswap_kernels AND TARGET keyswap_swap_plan)
    set_target_properties(keyswap_swap_plan PROPERTIES EXPORT_NAME swap_plan)
    set_target_properties(keyswap_cpu_sorts PROPERTIES EXPORT_NAME cpu_sorts)
    list(APPEND packaged_targets keyswap_swap_plan keyswap_cpu_sorts)
endif()

install(
    TARGETS ${packaged_targets}
    EXPORT keyswap_targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(
    EXPORT keyswap_targets
    NAMESPACE keyswap::
    FILE keyswap-targets.cmake
    DESTINATION ${package_dir})
configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/tools/cmake/keyswap-config.cmake.in
    ${PROJECT_BINARY_DIR}/keyswap-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/keyswap-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(
    FILES ${PROJECT_BINARY_DIR}/keyswap-config.cmake ${PROJECT_BINARY_DIR}/keyswap-config-version.cmake
    DESTINATION ${package_dir}
    COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/tools/cmake/Findzstd.cmake DESTINATION ${package_dir})
include(keyswap_archives)

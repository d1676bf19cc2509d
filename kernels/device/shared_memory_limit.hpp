#pragma once

/// \file The limit of a kernel's dynamic shared memory.

#include "kernels/device/cuda_check.hpp"

#include <cstddef>

namespace keyswap::kernels {

/// Allows launches of a kernel with up to `bytes` of dynamic shared memory on the current device,
/// instead of 48 KiB. \param file, line of the call, named in an error \throws CudaFailure
template <class... Parameters>
void allow_shared_memory(void (*kernel)(Parameters...),
                         std::size_t bytes,
                         char const* file = __builtin_FILE(),
                         int line = __builtin_LINE()) {
    bool const fails = fault_injection::next_call_fails();
    check_cuda(fails ? cudaErrorUnknown
                     : cudaFuncSetAttribute(reinterpret_cast<void const*>(kernel),
                                            cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(bytes)),
               "cudaFuncSetAttribute",
               file,
               line);
}

} // namespace keyswap::kernels

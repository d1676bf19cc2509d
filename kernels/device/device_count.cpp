#include "kernels/sort.hpp"

#include <cuda_runtime_api.h>

namespace keyswap::kernels {

int device_count() {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        return 0;
    }
    return count;
}

} // namespace keyswap::kernels

#include "kernels/sort.hpp"

#include <algorithm>

namespace keyswap::kernels {

bool runs_on_gpus(AlgorithmInfo const& algorithm) {
    return std::ranges::find(gpu_sorts(), algorithm.name) != gpu_sorts().end();
}

bool runs_on_gpus(AlgorithmInfo const& algorithm, KeyType type) {
    return key_bits(type) <= 64
               ? runs_on_gpus(algorithm)
               : std::ranges::find(wide_gpu_sorts(), algorithm.name) != wide_gpu_sorts().end();
}

} // namespace keyswap::kernels

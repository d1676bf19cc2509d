#include "kernels/sort.hpp"

#include <algorithm>

namespace keyswap::kernels {

bool runs_on_gpus(AlgorithmInfo const& algorithm) {
    return std::ranges::find(gpu_sorts(), algorithm.name) != gpu_sorts().end();
}

} // namespace keyswap::kernels

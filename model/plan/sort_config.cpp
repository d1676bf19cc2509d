#include "model/plan/sort_config.hpp"

#include "model/keys/key_source.hpp"
#include "traces/errors/try.hpp"

#include <string>

namespace keyswap::model {

namespace {

/// Twice the tolerance must fit into a chunk, or a GPU's two overhangs could meet.
constexpr std::uint32_t tolerance_ppm_max = 500'000;
constexpr std::uint32_t fuse_ppm_max = 1'000'000;

} // namespace

Expected<SortConfig> validated(SortConfig const& config) {
    if (config.key_count > key_count_max) {
        return input_error("number of keys",
                           std::to_string(config.key_count) + " is more than 2^63",
                           "plan at most 9223372036854775808 keys");
    }
    if (config.gpu_count < 1 || config.gpu_count > gpu_count_max) {
        return input_error("number of GPUs",
                           std::to_string(config.gpu_count) + " is out of range",
                           "give 1 to " + std::to_string(gpu_count_max));
    }
    if (config.digit_bits < 1 || config.digit_bits > digit_bits_max) {
        return input_error("digit bits",
                           std::to_string(config.digit_bits) + " is out of range",
                           "give 1 to " + std::to_string(digit_bits_max) + "; the paper uses 8");
    }
    if (config.tolerance_ppm > tolerance_ppm_max) {
        return input_error("tolerance",
                           std::to_string(config.tolerance_ppm) + " ppm is more than half a chunk",
                           "give at most 500000 ppm; the paper uses 5000, which is 0.5 %");
    }
    if (config.fuse_ppm > fuse_ppm_max) {
        return input_error("fusing threshold",
                           std::to_string(config.fuse_ppm) + " ppm is more than a whole chunk",
                           "give at most 1000000 ppm; the paper uses 10000, which is 1 %");
    }
    return config;
}

} // namespace keyswap::model

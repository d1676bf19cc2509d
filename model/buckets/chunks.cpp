#include "model/buckets/chunks.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::model {

namespace {

/// min(a * b, limit) without overflow: no chunk starts past the last key.
std::uint64_t product_up_to(std::uint64_t a, std::uint64_t b, std::uint64_t limit) {
    return (b != 0 && a > limit / b) ? limit : std::min(a * b, limit);
}

} // namespace

Chunks::Chunks(std::uint64_t key_count, std::uint32_t gpu_count)
    : key_count_(key_count), gpu_count_(gpu_count) {
    KEYSWAP_EXPECTS(gpu_count > 0);
    size_ = key_count / gpu_count + (key_count % gpu_count != 0 ? 1 : 0);
}

IndexRange Chunks::of(GpuId gpu) const {
    KEYSWAP_EXPECTS(gpu.value < gpu_count_);
    std::uint64_t const begin = product_up_to(gpu.value, size_, key_count_);
    return {begin, begin + std::min(size_, key_count_ - begin)};
}

std::uint64_t Chunks::border(GpuId gpu) const {
    KEYSWAP_EXPECTS(gpu.value + 1 < gpu_count_);
    return product_up_to(std::uint64_t{gpu.value} + 1, size_, key_count_);
}

GpuId Chunks::owner_of(std::uint64_t index) const {
    KEYSWAP_EXPECTS(index < key_count_);
    return GpuId{static_cast<std::uint32_t>(index / size_)};
}

} // namespace keyswap::model

#include "kernels/sorts/rmg/digit_passes.hpp"

#include "kernels/sorts/rmg/part_scatter.hpp"

namespace keyswap::kernels {

void DigitPasses::begin_pass(int pass,
                             std::vector<GpuState> const& /*gpus*/,
                             std::span<SpanningBucket const> /*refined*/) {
    pass_ = pass;
}

int DigitPasses::child_bits() const {
    return context_.key_shape.bits_of(pass_);
}

ImageRange DigitPasses::child_images(SpanningBucket const& refined,
                                     std::size_t /*i*/,
                                     std::uint32_t child) const {
    return images_of_digits(child_of(refined.bucket, child_bits(), child), context_.key_shape);
}

BucketFunction const* DigitPasses::function(std::size_t /*i*/) const {
    return nullptr;
}

void DigitPasses::count(GpuState const& gpu, PartList const& parts, std::uint64_t* counts) const {
    launch_histogram(gpu.stream,
                     context_.shape.key_bytes,
                     gpu.buffers.keys[static_cast<std::size_t>(gpu.buffers.current)],
                     parts,
                     window(),
                     counts);
}

void DigitPasses::scatter(std::vector<GpuState>& gpus,
                          std::vector<SpanningBucket> const& refined,
                          PassResult const& result) const {
    scatter_parts(context_, gpus, refined, result, pass_);
}

} // namespace keyswap::kernels

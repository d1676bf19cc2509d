#include "kernels/runtime/rank_words.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

namespace keyswap::kernels {

namespace {

/// Gathers every rank's bytes via the GPU's memory.
/// \return [rank][own.size()], valid until the next call
std::span<std::byte const> gather_slice(RunContext const& context,
                                        GpuState const& gpu,
                                        std::string_view step,
                                        std::span<std::byte const> own) {
    KEYSWAP_EXPECTS(context.ranks != nullptr && own.size() <= rank_slice_bytes);
    DeviceScope const scope{gpu.device};
    std::byte* const slice = context.exchange->rank_slices.data();
    std::byte* const slices = slice + rank_slice_bytes;
    std::span<std::byte> const gathered =
        context.exchange->host_rank_slices.span().first(own.size() * context.ranks->size());
    KEYSWAP_CUDA(
        cudaMemcpyAsync(slice, own.data(), own.size(), cudaMemcpyHostToDevice, gpu.stream));
    context.ranks->all_gather(gpu.stream, step, slice, slices, own.size());
    KEYSWAP_CUDA(cudaMemcpyAsync(
        gathered.data(), slices, gathered.size(), cudaMemcpyDeviceToHost, gpu.stream));
    context.ranks->wait(gpu.stream, step);
    return gathered;
}

} // namespace

std::vector<std::uint64_t> gather_words(RunContext const& context,
                                        GpuState const& gpu,
                                        std::string_view step,
                                        std::uint64_t own) {
    auto const gathered = gather_slice(context, gpu, step, std::as_bytes(std::span{&own, 1}));
    std::vector<std::uint64_t> words(context.ranks->size());
    std::memcpy(words.data(), gathered.data(), gathered.size());
    return words;
}

void combine_with_ranks(RunContext const& context,
                        GpuState const& gpu,
                        std::string_view step,
                        std::span<std::byte> bytes) {
    while (!bytes.empty()) {
        auto const slice = bytes.first(std::min(bytes.size(), rank_slice_bytes));
        auto const gathered = gather_slice(context, gpu, step, slice);
        for (std::size_t begin = 0; begin < gathered.size(); begin += slice.size()) {
            std::ranges::transform(
                slice, gathered.subspan(begin, slice.size()), slice.begin(), std::bit_or{});
        }
        bytes = bytes.subspan(slice.size());
    }
}

} // namespace keyswap::kernels

#include "kernels/runtime/rank_words.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <functional>

namespace keyswap::kernels {

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
    copy_bytes(gpu.stream, slice, own.data(), own.size());
    context.ranks->all_gather(gpu.stream, step, slice, slices, own.size());
    copy_bytes(gpu.stream, gathered.data(), slices, gathered.size());
    context.ranks->wait(gpu.stream, step);
    return gathered;
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

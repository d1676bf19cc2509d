#include "tools/ranks/rank_gpu.hpp"

#include "model/keys/key_order.hpp"
#include "model/ranks/agreement.hpp"
#include "model/ranks/rank_check.hpp"
#include "model/sorts/rmg/replay_digests.hpp"
#include "tools/build/stopwatch.hpp"
#include "tools/options/gpu_list.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace keyswap::tools {

namespace {

/// Timeout of GPU steps: half of the ranks' communication timeout, so that a failed rank can still
/// report its error.
std::chrono::milliseconds gpu_patience(std::chrono::milliseconds patience) {
    return patience / 2;
}

/// Index of a rank among the ranks of its machine, and their number.
struct LocalPlace {
    std::uint32_t index = 0;
    std::uint32_t count = 0;
};

LocalPlace local_place(model::Communicator& ranks) {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    auto const names = model::all_gather_text(ranks, "names of the machines", name.data());
    LocalPlace place;
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
        if (names[rank] == names[ranks.rank()]) {
            place.index += rank < ranks.rank() ? 1 : 0;
            place.count += 1;
        }
    }
    return place;
}

/// Connects the ranks by NCCL; if any rank has an error, all return one.
Expected<std::unique_ptr<kernels::RankTransport>>
join(model::Communicator& ranks, Expected<int> const& device, std::chrono::milliseconds patience) {
    KEYSWAP_RETURN_IF_ERROR(model::agree(ranks, "choosing GPUs", device));
    Expected<kernels::NcclId> const own =
        ranks.rank() == 0 ? cuda::make_rank_id() : Expected<kernels::NcclId>(kernels::NcclId{});
    KEYSWAP_RETURN_IF_ERROR(model::agree(ranks, "starting NCCL", own));
    auto const ids = model::all_gather(ranks, "exchanging the NCCL id", *own);
    auto transport = cuda::join_ranks(
        ids.front(), {ranks.rank(), ranks.size(), *device}, gpu_patience(patience));
    KEYSWAP_RETURN_IF_ERROR(model::agree(ranks, "joining by NCCL", transport));
    return transport;
}

Expected<std::unique_ptr<cuda::RankSession>>
session(SortRequest const& request, std::unique_ptr<kernels::RankTransport> ranks, int device) {
    KEYSWAP_TRY(auto const options, kernel_options(request, {device}));
    return cuda::open_rank(std::move(ranks), options, request.config.key_count);
}

/// Bytes of raw keys or values, resized to the rank's capacity.
template <class Image, class Value>
std::span<std::byte> bytes_with_room(std::vector<Image>& elements, std::uint64_t capacity) {
    if constexpr (std::is_same_v<Value, model::NoValue>) {
        return {};
    } else {
        elements.resize(capacity);
        return std::as_writable_bytes(std::span(elements));
    }
}

} // namespace

Expected<RankOpener> open_gpus_of_threads(std::vector<int> const& devices,
                                          std::chrono::milliseconds patience) {
    bool const is_repeated = std::set<int>(devices.begin(), devices.end()).size() < devices.size();
    if (!is_repeated) {
        return [=](model::Communicator& ranks, SortRequest const& request) {
            int const device = devices[ranks.rank()];
            return join(ranks, device, patience).and_then([&](auto transport) {
                return session(request, std::move(transport), device);
            });
        };
    }
    KEYSWAP_TRY(
        auto made,
        cuda::ranks_of_threads(static_cast<std::uint32_t>(devices.size()), gpu_patience(patience)));
    // Each rank moves its own transport out of the shared vector.
    auto const transports =
        std::make_shared<std::vector<std::unique_ptr<kernels::RankTransport>>>(std::move(made));
    return [=](model::Communicator& ranks, SortRequest const& request) {
        return session(request, std::move((*transports)[ranks.rank()]), devices[ranks.rank()]);
    };
}

RankOpener open_gpu_of_process(BackendChoice const& choice) {
    return [=](model::Communicator& ranks,
               SortRequest const& request) -> Expected<std::unique_ptr<cuda::RankSession>> {
        LocalPlace const place = local_place(ranks);
        auto const device = cuda::device_count().and_then([&](int found) {
            return choose_devices(choice.gpus, place.count, static_cast<std::uint32_t>(found))
                .map([&](std::vector<int> const& devices) { return devices[place.index]; });
        });
        return join(ranks, device, choice.rank_patience()).and_then([&](auto transport) {
            return session(request, std::move(transport), *device);
        });
    };
}

template <class Image, class Value>
Expected<RankSorted<Image, Value>> sort_on_gpu(model::Communicator& ranks,
                                               RankOpener const& open,
                                               SortRequest const& request,
                                               std::span<model::IndexRange const> shares,
                                               model::RankKeys<Image, Value> own,
                                               BeginGpuRecord const& begin_record,
                                               std::function<void(RunHeader&)> const& complete) {
    auto chunk = model::even_shares(ranks, shares, std::move(own));
    MultisetDigest const before = model::digest_of_range(chunk.arrays());
    RankAccount account;
    for (MultisetDigest const& of_rank : model::all_gather(ranks, "content", before)) {
        account.content += of_rank;
    }
    auto const session = open(ranks, request);
    KEYSWAP_RETURN_IF_ERROR(model::agree(ranks, "preparing the GPUs", session));
    auto const sink = begin_record ? begin_record(account.content) : Expected<TraceSink*>(nullptr);
    KEYSWAP_RETURN_IF_ERROR(model::agree(ranks, "opening the traces", sink));
    model::SortConfig const& config = request.config;
    model::to_keys(config.key_type, config.direction, std::span<Image>(chunk.keys));
    std::uint64_t const capacity = (*session)->capacity();
    auto const keys = bytes_with_room<Image, Image>(chunk.keys, capacity);
    auto const values = bytes_with_room<Value, Value>(chunk.values, capacity);
    Stopwatch const stopwatch;
    auto const report = (*session)->sort(keys, values, config.key_count, complete, *sink);
    account.seconds = stopwatch.seconds();
    KEYSWAP_RETURN_IF_ERROR(model::agree(ranks, "sorting on the GPUs", report));
    std::uint64_t const count = report->chunks.front().count;
    chunk.keys.resize(count);
    chunk.values.resize(values.empty() ? 0 : count);
    model::to_images(
        config.key_type, config.direction, ZeroOrder::total, std::span<Image>(chunk.keys));
    account.verdicts =
        model::check_with_ranks(ranks, model::summary_of(before, chunk.arrays()), capacity);
    account.owned = model::all_gather(ranks, "account", count);
    account.passes = static_cast<std::uint64_t>(report->passes);
    account.transport = (*session)->transport();
    return RankSorted<Image, Value>{std::move(chunk), std::move(account)};
}

// Arguments of templates cannot be parenthesized.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define KEYSWAP_INSTANTIATE(Image, Value)                                                          \
    template Expected<RankSorted<Image, Value>> sort_on_gpu(                                       \
        model::Communicator&,                                                                      \
        RankOpener const&,                                                                         \
        SortRequest const&,                                                                        \
        std::span<model::IndexRange const>,                                                        \
        model::RankKeys<Image, Value>,                                                             \
        BeginGpuRecord const&,                                                                     \
        std::function<void(RunHeader&)> const&);
KEYSWAP_FOR_EACH_KEY_ARRAYS(KEYSWAP_INSTANTIATE)
#undef KEYSWAP_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

} // namespace keyswap::tools

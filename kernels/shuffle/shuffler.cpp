#include "kernels/shuffle.hpp"

#include "kernels/device/cuda_error.hpp"
#include "kernels/shuffle/shuffle_state.hpp"
#include "traces/errors/try.hpp"

#include <string>
#include <utility>

namespace keyswap::kernels {

Shuffler::Shuffler(std::unique_ptr<ShuffleState> state) : state_(std::move(state)) {}
Shuffler::Shuffler(Shuffler&&) noexcept = default;
Shuffler& Shuffler::operator=(Shuffler&&) noexcept = default;
Shuffler::~Shuffler() = default;

SortExpected<Shuffler> Shuffler::create(ShuffleOptions const& options, std::uint64_t chunk_max) {
    constexpr std::size_t gpus_max = 64;
    if (options.devices.empty() || options.devices.size() > gpus_max) {
        return tl::unexpected(refused(std::to_string(options.devices.size()) +
                                      " GPUs are named (name 1 to " + std::to_string(gpus_max) +
                                      ")"));
    }
    auto owners = validate_owners(options.owners,
                                  options.function.buckets,
                                  static_cast<std::uint32_t>(options.devices.size()));
    if (!owners) {
        return tl::unexpected(refused(owners.error()));
    }
    std::vector<Multisplitter> splitters;
    for (int const device : options.devices) {
        MultisplitOptions of_gpu = options;
        of_gpu.device = device;
        KEYSWAP_TRY(auto splitter, Multisplitter::create(of_gpu, chunk_max));
        splitters.push_back(std::move(splitter));
    }
    return guarded([&]() -> SortExpected<Shuffler> {
        return Shuffler(std::make_unique<ShuffleState>(
            options, std::move(*owners), chunk_max, std::move(splitters)));
    });
}

MultisplitMethod Shuffler::method() const {
    return state_->method();
}

std::uint64_t Shuffler::workspace_bytes() const {
    return state_->workspace_bytes();
}

SortExpected<ShuffleReport> Shuffler::shuffle(std::span<ShuffleChunk const> chunks,
                                              PhaseTiming timing) {
    return guarded([&] { return state_->shuffle(chunks, timing); });
}

SortExpected<ShuffleReport>
Shuffler::shuffle_host(MultisplitArrays const& arrays, std::uint64_t count, PhaseTiming timing) {
    return guarded([&] {
        return state_->shuffle_host(
            arrays, count, timing, [](auto const& /*chunks*/, auto const& /*report*/) {
                return SortExpected<void>();
            });
    });
}

SortExpected<ShuffleRecords> Shuffler::record_host(MultisplitArrays const& arrays,
                                                   std::uint64_t count) {
    return guarded([&]() -> SortExpected<ShuffleRecords> {
        ShuffleRecords records;
        auto const take_records = [&](std::span<ShuffleChunk const> chunks,
                                      ShuffleReport const& done) -> SortExpected<void> {
            KEYSWAP_TRY(records.splits, state_->splits(chunks));
            records.arrivals = state_->arrivals(chunks, done);
            return {};
        };
        KEYSWAP_TRY(records.report,
                    state_->shuffle_host(arrays, count, PhaseTiming::on, take_records));
        return records;
    });
}

} // namespace keyswap::kernels

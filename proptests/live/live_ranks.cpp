#include "proptests/live/live_ranks.hpp"

#include "kernels/ranks/forwarding_transport_test.hpp"
#include "kernels/sorts/caller_chunks_test.hpp"
#include "model/ranks/rank_sort.hpp"
#include "model/verify/ranks/rank_traces.hpp"
#include "model/verify/recorded_run.hpp"
#include "proptests/live/live_times.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <thread>

namespace keyswap::proptests {

namespace {

constexpr auto patience = std::chrono::seconds(30);

/// Runs every rank on its own thread and rethrows the first exception.
void run_ranks(std::size_t count, std::function<void(std::size_t)> const& part) {
    std::vector<std::exception_ptr> thrown(count);
    {
        std::vector<std::jthread> threads;
        for (std::size_t rank = 0; rank < count; ++rank) {
            threads.emplace_back([&part, &thrown, rank] {
                try {
                    part(rank);
                } catch (...) {
                    thrown[rank] = std::current_exception();
                }
            });
        }
    }
    for (std::exception_ptr const& each : thrown) {
        if (each) {
            std::rethrow_exception(each);
        }
    }
}

/// A rank's endpoint of a connection that outlives the sort, since NCCL takes half a second to
/// connect. Once a sort has abandoned it, it is never reused.
class BorrowedTransport final : public kernels::gpu_test::ForwardingTransport {
  public:
    struct Lender {
        std::vector<std::unique_ptr<kernels::RankTransport>> ends;
        std::atomic<bool> is_lost = false;
    };
    BorrowedTransport(std::shared_ptr<Lender> lender, std::size_t rank)
        : ForwardingTransport(*lender->ends[rank]), lender_(std::move(lender)) {}

    void abandon() noexcept override {
        lender_->is_lost = true;
        ForwardingTransport::abandon();
    }

  private:
    std::shared_ptr<Lender> lender_;
};

/// Shares no memory, so that keys travel as messages, as between machines.
class MessageTransport final : public kernels::gpu_test::ForwardingTransport {
  public:
    explicit MessageTransport(std::unique_ptr<kernels::RankTransport> end)
        : ForwardingTransport(*end), end_(std::move(end)) {}

    kernels::SharedBlock share_memory(void* data, std::size_t bytes) override {
        return {ForwardingTransport::share_memory(data, bytes).id, {}};
    }

  private:
    std::unique_ptr<kernels::RankTransport> end_;
};

using Transports = std::vector<std::unique_ptr<kernels::RankTransport>>;

/// Threads; an odd number of keys travels as messages, so that both ways are compared.
Transports transports_of_threads(std::size_t count, std::uint64_t key_count) {
    Transports ends = kernels::thread_transports(static_cast<std::uint32_t>(count), patience);
    if (key_count % 2 == 1) {
        for (auto& end : ends) {
            end = std::make_unique<MessageTransport>(std::move(end));
        }
    }
    return ends;
}

/// NCCL between the devices; connections are cached by device list.
kernels::SortExpected<Transports> nccl_transports(std::vector<int> const& devices) {
    static std::map<std::vector<int>, std::shared_ptr<BorrowedTransport::Lender>> lenders;
    auto& lender = lenders[devices];
    if (lender == nullptr || lender->is_lost) {
        kernels::let_nccl_register_cuda_memory();
        KEYSWAP_TRY(auto const id, kernels::make_nccl_id());
        std::vector<kernels::SortExpected<std::unique_ptr<kernels::RankTransport>>> joined(
            devices.size());
        run_ranks(devices.size(), [&](std::size_t rank) {
            kernels::RankPlace const place{static_cast<std::uint32_t>(rank),
                                           static_cast<std::uint32_t>(devices.size()),
                                           devices[rank]};
            joined[rank] = kernels::join_nccl(id, place, patience);
        });
        lender = std::make_shared<BorrowedTransport::Lender>();
        for (auto& each : joined) {
            if (!each) {
                lender->is_lost = true;
                return tl::unexpected(each.error());
            }
            lender->ends.push_back(std::move(*each));
        }
    }
    Transports ends;
    for (std::size_t rank = 0; rank < devices.size(); ++rank) {
        ends.push_back(std::make_unique<BorrowedTransport>(lender, rank));
    }
    return ends;
}

/// Memory of a rank, large enough for the elements that it will own.
struct RankMemory {
    std::vector<std::byte> keys;
    std::vector<std::byte> values;
};

/// Copies a rank's elements between the common memory, at offset `base`, and its own memory.
enum class Way { to_rank, from_rank };
void copy_share(void* all,
                std::vector<std::byte>& own,
                Way way,
                std::uint64_t base,
                std::uint64_t count,
                std::size_t element_bytes) {
    if (element_bytes == 0 || count == 0) {
        return;
    }
    std::byte* const share = static_cast<std::byte*>(all) + base * element_bytes;
    if (way == Way::to_rank) {
        std::memcpy(own.data(), share, count * element_bytes);
    } else {
        std::memcpy(share, own.data(), count * element_bytes);
    }
}

/// Merges the records of all ranks into one run. \returns an error if ranks contradict each other
std::optional<std::string> merge(std::vector<model::verify::RecordedRunSink> const& sinks,
                                 TraceSink& trace) {
    std::vector<model::verify::RecordedRun> runs;
    runs.reserve(sinks.size());
    for (model::verify::RecordedRunSink const& sink : sinks) {
        runs.push_back(sink.run());
    }
    auto const merged = model::verify::merge_ranks(runs);
    if (!merged) {
        return "the traces of the ranks cannot be merged: " + merged.error().message();
    }
    if (!merged->differences.empty()) {
        auto const& first = merged->differences.front();
        return "ranks contradict each other: " + first.expected + " against " + first.recorded;
    }
    if (merged->run.header.layout) {
        trace.declare(*merged->run.header.layout);
    }
    for (TraceRecord const& record : model::verify::records_of(merged->run)) {
        if (!std::holds_alternative<RunHeader>(record)) {
            trace.write(record);
        }
    }
    return std::nullopt;
}

} // namespace

kernels::SortExpected<std::shared_ptr<LiveRanks>>
LiveRanks::create(kernels::SortOptions const& options, std::uint64_t key_count_max, RankLink link) {
    std::size_t const count = options.devices.size();
    kernels::SortExpected<Transports> found = link == RankLink::nccl
                                                  ? nccl_transports(options.devices)
                                                  : transports_of_threads(count, key_count_max);
    if (!found) {
        return tl::unexpected(found.error());
    }
    auto& transports = *found;
    std::vector<std::optional<kernels::SortExpected<kernels::RankSorter>>> made(count);
    run_ranks(count, [&](std::size_t rank) {
        kernels::SortOptions own = options;
        own.devices = {options.devices[rank]};
        made[rank] = kernels::RankSorter::create(
            std::move(transports[rank]), own, key_count_max, kernels::ChunkBuffers::sorter);
    });
    std::vector<kernels::RankSorter> sorters;
    for (auto& each : made) {
        if (!*each) {
            return tl::unexpected(each->error());
        }
        sorters.push_back(std::move(**each));
    }
    return std::shared_ptr<LiveRanks>(new LiveRanks(options, std::move(sorters)));
}

std::optional<std::string>
LiveRanks::sort(kernels::Columns<void> elements, std::uint64_t count, TraceSink* trace) {
    std::size_t const key_bytes = key_size_bytes(options_.key_type);
    std::size_t const value_bytes = value_size_bytes(options_.value_type);
    std::vector<RankMemory> memory(sorters_.size());
    std::vector<model::verify::RecordedRunSink> sinks(sorters_.size(),
                                                      model::verify::RecordedRunSink("a rank"));
    std::vector<std::optional<kernels::SortExpected<kernels::SortReport>>> reports(sorters_.size());
    run_ranks(sorters_.size(), [&](std::size_t rank) {
        kernels::RankSorter& sorter = sorters_[rank];
        std::uint64_t const chunk = sorter.chunk_size(count);
        std::uint64_t const begin = std::min<std::uint64_t>(count, rank * chunk);
        std::uint64_t const own_count = std::min(chunk, count - begin);
        RankMemory& own = memory[rank];
        std::uint64_t const capacity = sorter.workspace().key_capacity;
        own.keys.resize(capacity * key_bytes);
        own.values.resize(capacity * value_bytes);
        copy_share(elements.keys, own.keys, Way::to_rank, begin, own_count, key_bytes);
        copy_share(elements.values, own.values, Way::to_rank, begin, own_count, value_bytes);
        sinks[rank].write(sorter.describe(count));
        model::RankRecords records(sinks[rank], GpuId{static_cast<std::uint32_t>(rank)});
        reports[rank] = sorter.sort(own.keys.data(),
                                    value_bytes == 0 ? nullptr : own.values.data(),
                                    count,
                                    timing_of(trace),
                                    trace == nullptr ? nullptr : &records);
    });
    std::uint64_t next = 0;
    for (std::size_t rank = 0; rank < sorters_.size(); ++rank) {
        auto const& report = *reports[rank];
        if (!report) {
            return "rank " + std::to_string(rank) + " refused: " + report.error().message;
        }
        if (auto const wrong = wrong_times(*report)) {
            return "rank " + std::to_string(rank) + ": " + *wrong;
        }
        kernels::SortedChunk const& owned = report->chunks.front();
        if (owned.base != next || owned.count > count - next) {
            return "the shares of the ranks do not follow each other, or are not all keys";
        }
        next += owned.count;
        copy_share(
            elements.keys, memory[rank].keys, Way::from_rank, owned.base, owned.count, key_bytes);
        copy_share(elements.values,
                   memory[rank].values,
                   Way::from_rank,
                   owned.base,
                   owned.count,
                   value_bytes);
    }
    if (next != count) {
        return "the shares of the ranks are not all keys";
    }
    return trace == nullptr ? std::nullopt : merge(sinks, *trace);
}

} // namespace keyswap::proptests

/// \file Measures a sort by ranks, one process per GPU connected by NCCL, and for comparison the
/// same sort by one process: rank_probe KEYS RUNS DEVICE DEVICE... [sort NAME] [type TYPE] [values
/// BITS] [kill MS] [timeout S]. Requires a driver and NCCL, but no launcher: it forks before it
/// uses a GPU. `kill` ends rank 1 by SIGKILL, MS milliseconds after the begin of its last sort: the
/// other ranks must report an error within the timeout.

#include "kernels/bench/bench_chunks.hpp"
#include "kernels/bench/benchmark.hpp"
#include "kernels/bench/timings.hpp"
#include "kernels/device/cuda_error.hpp"
#include "kernels/rank_sort.hpp"
#include "kernels/runtime/sorter_options.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <optional>
#include <span>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace keyswap;
using namespace keyswap::kernels;

namespace {

constexpr std::size_t ranks_max = 8;
constexpr int runs_max = 32;
struct RankJob {
    BenchJob bench;
    std::chrono::seconds timeout{60};
    std::optional<double> kill_ms{}; ///< rank 1 dies so long after the begin of its last sort
};

/// Measurements of a rank.
struct RankResult {
    std::array<double, runs_max> milliseconds{};
    SequenceSummary before;
    SequenceSummary after;          ///< after the last sort
    bool is_always_sorted = true;   ///< within the rank
    bool copies_to_peers = false;   ///< else NCCL sends the keys
    std::array<char, 512> phases{}; ///< of the last sort
    double joined_gigabytes = 0;    ///< device memory in use after the ranks have joined
    double peak_gigabytes = 0;      ///< device memory in use after all sorts, with all buffers
};

/// Memory shared by all processes.
struct Shared {
    std::atomic<int> id_is_there = 0;
    NcclId id{};
    std::atomic<int> arrived = 0;
    std::atomic<bool> is_rank_lost = false;
    std::array<RankResult, ranks_max> ranks{};
};

/// Waits for all ranks, unless one has ended.
void meet(Shared& shared, int ranks) {
    int const number = shared.arrived.fetch_add(1);
    int const all = (number / ranks + 1) * ranks;
    while (shared.arrived.load() < all && !shared.is_rank_lost.load()) {
        std::this_thread::yield();
    }
}

double gigabytes_in_use() {
    std::size_t available = 0;
    std::size_t total = 0;
    KEYSWAP_CUDA(cudaMemGetInfo(&available, &total));
    return static_cast<double>(total - available) / 1e9;
}

void note_phases(SortReport const& report, RankResult& result) {
    std::string text;
    for (PhaseTimeRecord const& time : report.times) {
        std::array<char, 96> one{};
        std::snprintf(one.data(),
                      one.size(),
                      " | %s %d %.2f to %.2f",
                      std::string(time.phase.text()).c_str(),
                      time.pass,
                      static_cast<double>(time.begin_ns) / 1e6,
                      static_cast<double>(time.end_ns) / 1e6);
        text += one.data();
    }
    std::snprintf(result.phases.data(), result.phases.size(), "%s", text.c_str());
}

/// Ends this process as the system would. Not awaited: the process is gone by then.
void die_after(double milliseconds) {
    std::thread([milliseconds] {
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(milliseconds));
        static_cast<void>(std::raise(SIGKILL));
    }).detach();
}

/// \returns true on success
bool run_rank(Shared& shared, RankJob const& rank_job, std::uint32_t rank) {
    BenchJob const& job = rank_job.bench;
    auto const size = static_cast<std::uint32_t>(job.options.devices.size());
    int const device = job.options.devices[rank];
    auto const failed = [rank](SortError const& error) {
        std::printf("rank %u: %s\n", rank, error.message.c_str());
        return false;
    };
    if (rank == 0) {
        auto const id = make_nccl_id();
        if (!id) {
            return failed(id.error());
        }
        shared.id = *id;
        shared.id_is_there = 1;
    }
    while (shared.id_is_there.load() == 0) {
        std::this_thread::yield();
    }
    auto transport = join_nccl(shared.id, {rank, size, device}, rank_job.timeout);
    if (!transport) {
        return failed(transport.error());
    }
    RankResult& result = shared.ranks[rank];
    DeviceScope const scope{device};
    result.joined_gigabytes = gigabytes_in_use();
    SortOptions own = job.options;
    own.devices = {device};
    auto sorter =
        RankSorter::create(std::move(*transport), own, job.key_count, ChunkBuffers::caller);
    if (!sorter) {
        return failed(sorter.error());
    }
    std::uint64_t const chunk = sorter->chunk_size(job.key_count);
    std::uint64_t const begin = std::min(job.key_count, rank * chunk);
    std::uint64_t const count = std::min(chunk, job.key_count - begin);
    std::uint64_t const capacity = sorter->workspace().key_capacity;
    BenchJob mine = job;
    mine.options = own;
    mine.key_count = capacity;
    BenchChunks const buffers{mine, capacity};
    DeviceChunk const& memory = buffers.chunks().front();
    auto const shared_chunk = sorter->share_chunk(memory);
    if (!shared_chunk) {
        return failed(shared_chunk.error());
    }
    result.copies_to_peers = sorter->copies_to_peers();
    auto const summarized = [&](void const* keys, void const* values, std::uint64_t keys_there) {
        SequencePart const part{device, keys, values, keys_there};
        return summarize(own, {&part, 1});
    };
    for (int run = -1; run < job.runs; ++run) { // the first run is a warm-up
        make_bench_elements(job, begin, count, memory.keys, memory.values);
        KEYSWAP_CUDA(cudaDeviceSynchronize());
        auto const before = summarized(memory.keys, memory.values, count);
        if (!before) {
            return failed(before.error());
        }
        result.before = *before;
        meet(shared, static_cast<int>(size));
        if (rank == 1 && rank_job.kill_ms && run + 1 == job.runs) {
            die_after(*rank_job.kill_ms);
        }
        auto const start = std::chrono::steady_clock::now();
        auto const report = sorter->sort_in_place(memory, job.key_count, PhaseTiming::on);
        double const elapsed = milliseconds_since(start);
        if (!report) {
            auto const left = summarized(memory.keys, memory.values, count);
            std::printf("rank %u: the sort ended after %.0f ms; its chunk is %s\n",
                        rank,
                        elapsed,
                        !left                                ? left.error().message.c_str()
                        : left->elements == before->elements ? "unchanged"
                                                             : "overwritten");
            return failed(report.error());
        }
        if (run >= 0) {
            result.milliseconds[static_cast<std::size_t>(run)] = elapsed;
        }
        note_phases(*report, result);
        SortedChunk const& sorted = report->chunks.front();
        auto const after = summarized(sorted.in_alternate ? memory.alternate_keys : memory.keys,
                                      sorted.in_alternate ? memory.alternate_values : memory.values,
                                      sorted.count);
        if (!after) {
            return failed(after.error());
        }
        result.after = *after;
        result.is_always_sorted = result.is_always_sorted && after->violations == 0;
        result.peak_gigabytes = std::max(result.peak_gigabytes, gigabytes_in_use());
        meet(shared, static_cast<int>(size));
    }
    return true;
}

/// Forks the ranks. \returns true if all ranks succeeded
bool run_ranks(Shared& shared, RankJob const& job) {
    let_nccl_register_cuda_memory();
    std::vector<pid_t> children;
    for (std::uint32_t rank = 0; rank < job.bench.options.devices.size(); ++rank) {
        pid_t const child = fork();
        if (child == 0) {
            bool well = false;
            try {
                well = run_rank(shared, job, rank);
            } catch (CudaFailure const& failure) {
                std::printf("rank %u: %s\n", rank, failure.what());
            }
            std::fflush(stdout);
            _exit(well ? 0 : 1);
        }
        children.push_back(child);
    }
    bool well = true;
    for (std::size_t i = 0; i < children.size(); ++i) {
        int status = 0;
        waitpid(-1, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            shared.is_rank_lost = true;
            well = false;
        }
    }
    return well;
}

/// Parses the command line; uses at most `ranks_max` GPUs.
RankJob job_of(std::span<char* const> words) {
    RankJob rank_job;
    BenchJob& job = rank_job.bench;
    job.key_count = static_cast<std::uint64_t>(std::atof(words[0]));
    job.runs = std::clamp(std::atoi(words[1]), 1, runs_max);
    job.options.devices.clear();
    for (std::size_t i = 2; i < words.size(); ++i) {
        std::string const word = words[i];
        std::string const next = i + 1 < words.size() ? words[i + 1] : "";
        if (word == "sort") {
            job.options.choice = choose(next, std::nullopt).value();
            job.options.tolerance_ppm = next == "sample-sort" ? 20'000 : 5'000;
        } else if (word == "type") {
            job.options.key_type = parse_key_type(next).value();
        } else if (word == "values") {
            job.options.value_type = parse_value_type(next).value();
        } else if (word == "kill") {
            rank_job.kill_ms = std::atof(next.c_str());
        } else if (word == "timeout") {
            rank_job.timeout = std::chrono::seconds(std::atoi(next.c_str()));
        } else {
            job.options.devices.push_back(std::atoi(word.c_str()));
            continue;
        }
        ++i;
    }
    job.options.devices.resize(std::min(job.options.devices.size(), ranks_max));
    return rank_job;
}

/// Combines the ranks' results, with the slowest rank's time per run. Prints one line per rank.
BenchRuns joined_ranks(std::span<RankResult const> ranks, int runs) {
    BenchRuns all;
    for (int run = 0; run < runs; ++run) {
        auto const time = [run](RankResult const& rank) {
            return rank.milliseconds[static_cast<std::size_t>(run)];
        };
        all.milliseconds.push_back(time(*std::ranges::max_element(ranks, {}, time)));
    }
    SequenceSummary before;
    SequenceSummary after;
    all.sorted = true;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        RankResult const& result = ranks[rank];
        before = joined(before, result.before);
        after = joined(after, result.after);
        all.sorted = all.sorted && result.is_always_sorted;
        std::printf("rank %zu: %llu keys, %s, device memory in use %.2f GB once joined, %.2f GB at "
                    "most; ms from its start%s\n",
                    rank,
                    static_cast<unsigned long long>(result.after.elements.count),
                    result.copies_to_peers ? "peer copies" : "messages",
                    result.joined_gigabytes,
                    result.peak_gigabytes,
                    result.phases.data());
    }
    all.sorted = all.sorted && after.violations == 0;
    all.same_elements = before.elements == after.elements;
    return all;
}

bool is_right(BenchRuns const& runs) {
    return runs.sorted && runs.same_elements;
}

char const* verdict_of(BenchRuns const& runs) {
    return is_right(runs) ? "sorted, same" : "WRONG";
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 5) {
        std::fprintf(stderr,
                     "usage: rank_probe KEYS RUNS DEVICE DEVICE... [sort NAME] [type TYPE] "
                     "[values BITS] [kill MS] [timeout S]\n");
        return 2;
    }
    RankJob const rank_job =
        job_of(std::span<char* const>{argv, static_cast<std::size_t>(argc)}.subspan(1));
    BenchJob const& job = rank_job.bench;
    std::size_t const ranks = job.options.devices.size();
    void* const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        std::perror("rank_probe: mmap");
        return 2;
    }
    auto& shared = *new (memory) Shared;
    if (!run_ranks(shared, rank_job)) {
        return 2;
    }
    BenchRuns const by_ranks = joined_ranks(std::span{shared.ranks}.first(ranks), job.runs);
    auto const one = bench_sort(job);
    std::printf("%s %s, %llu keys, %zu ranks by NCCL: %.3f ms (%.3f to %.3f), %s\n",
                full_name(job.options.choice).c_str(),
                std::string{to_string(job.options.key_type)}.c_str(),
                static_cast<unsigned long long>(job.key_count),
                ranks,
                by_ranks.median(),
                std::ranges::min(by_ranks.milliseconds),
                std::ranges::max(by_ranks.milliseconds),
                verdict_of(by_ranks));
    if (!one) {
        std::printf("one process: %s\n", one.error().message.c_str());
        return 2;
    }
    std::printf("the same in one process: %.3f ms, %.2f GB a GPU, %s; ranks take %.3f of it\n",
                one->median(),
                static_cast<double>(one->bytes_per_gpu) / 1e9,
                verdict_of(*one),
                by_ranks.median() / one->median());
    return is_right(by_ranks) && is_right(*one) ? 0 : 1;
}

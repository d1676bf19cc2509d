#include "kernels/bench/benchmark_kernels.hpp"
#include "kernels/bench/split_benchmark.hpp"
#include "kernels/bench/timings.hpp"
#include "kernels/device/cuda_error.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/device/peer_access.hpp"
#include "kernels/device/stream.hpp"
#include "kernels/device/vector_copies.hpp"
#include "kernels/runtime/gpu_state.hpp"
#include "kernels/shuffle.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

namespace keyswap::kernels {

namespace {

__extension__ using Wide = unsigned __int128;

/// A measured function and its reference.
struct ShuffleRule {
    std::string name;
    BucketFunction function;
    std::function<std::uint64_t(std::uint64_t)> bucket_of;
};

std::vector<ShuffleRule> rules_of(std::uint32_t buckets, int key_bits) {
    std::vector<ShuffleRule> rules;
    if (std::has_single_bit(buckets)) {
        int const bits = std::bit_width(buckets) - 1;
        int const shift = key_bits - bits;
        rules.push_back({"digit", {buckets, DigitBuckets{shift, bits}}, [shift](std::uint64_t key) {
                             return key >> shift;
                         }});
    }
    rules.push_back({"hash", {buckets, HashBuckets{1}}, [buckets](std::uint64_t key) {
                         return static_cast<std::uint64_t>(
                             (static_cast<Wide>(mix_bits(key ^ mix_bits(1))) * buckets) >> 64);
                     }});
    return rules;
}

template <class Key>
class ShuffleBench {
  public:
    explicit ShuffleBench(SplitBenchJob const& job)
        : job_(job), gpus_(job.devices.size()), chunk_size_((job.key_count + gpus_ - 1) / gpus_),
          capacity_(chunk_size_ + chunk_size_ / 4 + 65'536),
          has_values_(job.value_type != ValueType::none) {
        for (std::size_t i = 0; i < gpus_; ++i) {
            int const device = job.devices[i];
            DeviceScope const scope{device};
            std::uint64_t const begin = std::min(job.key_count, i * chunk_size_);
            std::uint64_t const count = std::min(job.key_count, begin + chunk_size_) - begin;
            keys_.emplace_back(device, chunk_size_);
            values_.emplace_back(device, has_values_ ? chunk_size_ : 0);
            keys_out_.emplace_back(device, capacity_);
            values_out_.emplace_back(device, has_values_ ? capacity_ : 0);
            streams_.emplace_back(device);
            own_streams_.emplace_back(device);
            launch_bench_keys(nullptr,
                              sizeof(Key),
                              keys_.back().data(),
                              begin,
                              count,
                              job.key_count,
                              BenchKeys::uniform,
                              1);
            if (has_values_) {
                std::vector<std::uint32_t> indices(count);
                for (std::uint64_t k = 0; k < count; ++k) {
                    indices[k] = static_cast<std::uint32_t>(begin + k);
                }
                KEYSWAP_CUDA(cudaMemcpy(values_.back().data(),
                                        indices.data(),
                                        count * sizeof(std::uint32_t),
                                        cudaMemcpyDefault));
            }
            KEYSWAP_CUDA(cudaDeviceSynchronize());
            chunks_.push_back({keys_.back().data(),
                               values_.back().data(),
                               nullptr,
                               1,
                               count,
                               keys_out_.back().data(),
                               values_out_.back().data(),
                               capacity_,
                               nullptr});
        }
    }

    SortExpected<std::vector<SplitBenchRow>> run() {
        // The shuffler enables it too, but plain copies are measured first: through the host, they
        // took 13 times as long.
        static_cast<void>(enable_peer_access({job_.devices.begin(), job_.devices.end()}));
        std::vector<SplitBenchRow> rows{copies()};
        for (ShuffleRule const& rule : rules_of(job_.buckets, sizeof(Key) * 8)) {
            KEYSWAP_RETURN_IF_ERROR(measure(rule, rows));
        }
        return rows;
    }

  private:
    /// Copies the bytes of an even exchange, one copy per pair of GPUs.
    [[nodiscard]] SplitBenchRow copies() const {
        std::uint64_t const part = chunk_size_ / gpus_;
        SplitBenchRow row;
        row.name = "copies";
        row.rule = "-";
        for (int run = 0; run < job_.runs + 1; ++run) {
            auto const begin = std::chrono::steady_clock::now();
            for (std::size_t turn = 1; turn <= gpus_; ++turn) {
                for (std::size_t i = 0; i < gpus_; ++i) {
                    std::size_t const to = (i + turn) % gpus_;
                    cudaStream_t const stream = (to == i ? own_streams_ : streams_)[i].get();
                    copy_async(stream,
                               job_.devices[to],
                               keys_out_[to].data() + i * part,
                               job_.devices[i],
                               keys_[i].data() + to * part,
                               part * sizeof(Key));
                    if (has_values_) {
                        copy_async(stream,
                                   job_.devices[to],
                                   values_out_[to].data() + i * part,
                                   job_.devices[i],
                                   values_[i].data() + to * part,
                                   part * sizeof(std::uint32_t));
                    }
                }
            }
            for (std::size_t i = 0; i < gpus_; ++i) {
                wait_for(streams_[i].get());
                wait_for(own_streams_[i].get());
            }
            if (run > 0) {
                row.milliseconds.push_back(milliseconds_since(begin));
            }
        }
        return row;
    }

    /// Adds rows for the whole shuffle and for its phases on the slowest GPU.
    SortExpected<void> measure(ShuffleRule const& rule, std::vector<SplitBenchRow>& rows) const {
        ShuffleOptions options;
        options.key_type = job_.key_type;
        options.value_type = job_.value_type;
        options.function = rule.function;
        options.devices = job_.devices;
        KEYSWAP_TRY(auto shuffler, Shuffler::create(options, chunk_size_));
        for (std::size_t i = 0; i < gpus_; ++i) {
            DeviceScope const scope{job_.devices[i]};
            KEYSWAP_CUDA(cudaMemset(keys_out_[i].data(), 0xee, capacity_ * sizeof(Key)));
        }
        SplitBenchRow whole;
        whole.name = "shuffle";
        whole.rule = rule.name;
        SplitBenchRow split = whole;
        split.name = "  split";
        SplitBenchRow exchange = whole;
        exchange.name = "  exchange";
        for (int run = 0; run < job_.runs + 1; ++run) {
            auto const begin = std::chrono::steady_clock::now();
            KEYSWAP_TRY(auto const report, shuffler.shuffle(chunks_, PhaseTiming::on));
            double const elapsed = milliseconds_since(begin);
            if (run > 0) {
                whole.milliseconds.push_back(elapsed);
                split.milliseconds.push_back(longest(report, Phase::scatter));
                exchange.milliseconds.push_back(longest(report, Phase::key_swap));
            }
            if (run == job_.runs) {
                whole.wrong = wrong_elements(report, rule);
            }
        }
        double const copied = rows.front().median();
        for (SplitBenchRow* const row : {&whole, &split, &exchange}) {
            if (row != &split) {
                row->peer_ms = copied;
            }
            row->wrong = whole.wrong;
            rows.push_back(std::move(*row));
        }
        return {};
    }

    static double longest(ShuffleReport const& report, Phase phase) {
        std::int64_t longest = 0;
        for (PhaseTimeRecord const& time : report.times) {
            if (time.phase == PhaseName(phase)) {
                longest = std::max(longest, time.end_ns - time.begin_ns);
            }
        }
        return static_cast<double>(longest) * 1e-6;
    }

    /// Checks on the host by plain arithmetic: elements outside their bucket's range or owner, plus
    /// one if any are lost or duplicated. With values, each must be its key's input index.
    [[nodiscard]] std::uint64_t wrong_elements(ShuffleReport const& report,
                                               ShuffleRule const& rule) const {
        std::uint64_t wrong = 0;
        std::uint64_t sum = 0; // sum of the inputs minus the outputs
        std::vector<std::vector<Key>> inputs;
        for (std::size_t i = 0; i < gpus_; ++i) {
            inputs.push_back(copy_to_vector(nullptr, keys_[i].data(), chunks_[i].count));
            for (Key const key : inputs.back()) {
                sum += mix_bits(key + 1ULL);
            }
        }
        for (std::size_t i = 0; i < gpus_; ++i) {
            std::uint64_t const count = report.ownership[i].count;
            auto const keys = copy_to_vector(nullptr, keys_out_[i].data(), count);
            auto const values =
                copy_to_vector(nullptr, values_out_[i].data(), has_values_ ? count : 0);
            std::uint64_t bucket_before = 0;
            std::uint32_t value_before = 0;
            for (std::uint64_t k = 0; k < count; ++k) {
                std::uint64_t const bucket = rule.bucket_of(keys[k]);
                bool right = bucket >= bucket_before && bucket * gpus_ / job_.buckets == i;
                if (has_values_) {
                    std::uint32_t const value = values[k];
                    right = right && value < job_.key_count &&
                            inputs[value / chunk_size_][value % chunk_size_] == keys[k] &&
                            (k == 0 || bucket != bucket_before || value > value_before);
                    value_before = value;
                }
                wrong += right ? 0 : 1;
                bucket_before = bucket;
                sum -= mix_bits(keys[k] + 1ULL);
            }
        }
        return wrong + (sum == 0 ? 0 : 1);
    }

    SplitBenchJob const& job_;
    std::size_t gpus_;
    std::uint64_t chunk_size_;
    std::uint64_t capacity_;
    bool has_values_;
    std::vector<DeviceBuffer<Key>> keys_;
    std::vector<DeviceBuffer<std::uint32_t>> values_;
    std::vector<DeviceBuffer<Key>> keys_out_;
    std::vector<DeviceBuffer<std::uint32_t>> values_out_;
    std::vector<Stream> streams_;
    std::vector<Stream> own_streams_;
    std::vector<ShuffleChunk> chunks_;
};

} // namespace

SortExpected<std::vector<SplitBenchRow>> bench_shuffle(SplitBenchJob const& job) {
    return guarded([&]() -> SortExpected<std::vector<SplitBenchRow>> {
        return key_size_bytes(job.key_type) == 4 ? ShuffleBench<std::uint32_t>(job).run()
                                                 : ShuffleBench<std::uint64_t>(job).run();
    });
}

} // namespace keyswap::kernels

#pragma once

/// \file For tests: sorts with an input in a folder of their own, their planned records, and
/// storages that fail.

#include "model/distributions/key_generator.hpp"
#include "model/external/external_records.hpp"
#include "model/external/record_summary.hpp"
#include "tools/external/external_sort.hpp"
#include "traces/errors/try.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace fs = std::filesystem;

inline constexpr std::uint64_t MiB = std::uint64_t{1} << 20;

inline std::vector<std::byte> keys_of(std::string const& distribution, std::uint64_t count) {
    model::KeyRequest request;
    request.distribution = distribution;
    request.key_type = KeyType::u64;
    request.key_count = count;
    auto const generator = model::KeyGenerator::make(request).value();
    std::vector<std::uint64_t> keys(count);
    generator.images(0, std::span(keys));
    auto const bytes = std::as_bytes(std::span(keys));
    return {bytes.begin(), bytes.end()};
}

inline std::vector<std::byte> records_of(model::RecordLayout const& layout, std::uint64_t count) {
    std::vector<std::byte> records(count * layout.record_bytes);
    model::make_records(layout, 7, 0, records);
    return records;
}

inline model::RecordLayout const u64_keys =
    model::layout_of_keys(KeyType::u64, Direction::ascending);

inline void write(fs::path const& path, std::span<std::byte const> bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<char const*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

/// Fails from call `at` on, as if the process had been killed; or fails in one other way.
class FaultyStorage final : public Storage {
  public:
    enum class Fault { none, dead, full_disk, short_read, interrupted, unsynced };

    FaultyStorage(Fault fault, std::uint64_t at) : fault_(fault), at_(at) {}
    [[nodiscard]] std::uint64_t calls() const { return calls_; }

    int open(fs::path const& path, int flags) override {
        return changes_fail(fault_ == Fault::dead && (flags & O_ACCMODE) != O_RDONLY)
                   ? -1
                   : Storage::open(path, flags);
    }
    ssize_t read_at(int descriptor, std::span<std::byte> bytes, std::uint64_t offset) override {
        if (fault_ == Fault::short_read) {
            return Storage::read_at(descriptor, bytes.first((bytes.size() + 1) / 2), offset);
        }
        if (fault_ == Fault::interrupted && ++calls_ % 2 == 0) {
            errno = EINTR;
            return -1;
        }
        return Storage::read_at(descriptor, bytes, offset);
    }
    ssize_t
    write_at(int descriptor, std::span<std::byte const> bytes, std::uint64_t offset) override {
        bool const was_due = calls_ >= at_;
        if (changes_fail(fault_ == Fault::dead || fault_ == Fault::full_disk)) {
            if (!was_due) { // the write before the fault is partial
                static_cast<void>(
                    Storage::write_at(descriptor, bytes.first(bytes.size() / 2), offset));
            }
            errno = fault_ == Fault::dead ? EIO : ENOSPC;
            return -1;
        }
        return Storage::write_at(descriptor, bytes, offset);
    }
    int sync(int /*descriptor*/) override {
        return changes_fail(fault_ == Fault::dead || fault_ == Fault::unsynced) ? -1 : 0;
    }
    int resize(int descriptor, std::uint64_t size_bytes) override {
        return changes_fail() ? -1 : Storage::resize(descriptor, size_bytes);
    }
    int remove(fs::path const& path) override {
        return changes_fail() ? -1 : Storage::remove(path);
    }
    int rename(fs::path const& from, fs::path const& to, Existing existing) override {
        return changes_fail() ? EIO : Storage::rename(from, to, existing);
    }

  private:
    /// Counts a call that may change data. \param concerned true: this fault affects the call
    bool changes_fail(bool concerned) {
        bool const fails = concerned && ++calls_ >= at_;
        errno = fails ? EIO : errno;
        return fails;
    }
    bool changes_fail() { return changes_fail(fault_ == Fault::dead); }

    Fault fault_;
    std::uint64_t at_;
    std::atomic<std::uint64_t> calls_{0};
};

struct Case {
    testing::TemporaryFolder folder;
    ExternalJob job;
    std::string sorted; ///< expected output

    /// \param known expected output, if known: saves time in tests that repeat a sort
    explicit Case(model::RecordLayout const& layout,
                  std::vector<std::byte> const& records,
                  std::uint64_t memory_bytes,
                  std::optional<std::string> known = std::nullopt) {
        job.layout = layout;
        job.program = "test";
        fs::path const input = folder.path() / "input";
        write(input, records);
        job.inputs = {{identity_of(input).value(), 0, records.size() / layout.record_bytes, {}}};
        job.memory_bytes = memory_bytes;
        job.outputs = {folder.path() / "output"};
        job.scratch = folder.path() / "scratch";
        job.threads = 2;
        job.engine = make_cpu_range_engine(2);
        sorted = known ? std::move(*known) : reference(records);
    }

    [[nodiscard]] std::string reference(std::vector<std::byte> const& records) const {
        std::size_t const size = job.layout.record_bytes;
        if (job.layout == model::layout_of_keys(KeyType::u64, Direction::ascending)) {
            std::vector<std::uint64_t> keys(records.size() / size);
            std::ranges::copy(records, std::as_writable_bytes(std::span(keys)).begin());
            std::ranges::sort(keys);
            return {reinterpret_cast<char const*>(keys.data()), records.size()};
        }
        std::vector<std::size_t> order(records.size() / size);
        std::iota(order.begin(), order.end(), std::size_t{0});
        return model::with_image_reader(job.layout, [&](auto const& read) {
            std::ranges::stable_sort(
                order, {}, [&](std::size_t i) { return read(records.data() + i * size); });
            std::string result;
            for (std::size_t const i : order) {
                result.append(reinterpret_cast<char const*>(records.data()) + i * size, size);
            }
            return result;
        });
    }

    Expected<ExternalResult> run(Storage& storage) const { return sort_external(job, {}, storage); }
    Expected<ExternalResult> run() const {
        FaultyStorage storage(FaultyStorage::Fault::none, 0); // skips waiting for the disk
        return run(storage);
    }
};

/// Sequential reader of records in memory.
class StreamInMemory final : public model::RecordStream {
  public:
    StreamInMemory(std::vector<std::byte> const& records, std::size_t size, bool is_damaged)
        : records_(records), size_(size), is_damaged_(is_damaged) {}
    Expected<std::size_t> read(std::span<std::byte> block) override {
        std::size_t const count = std::min(block.size(), records_.size() - at_) / size_;
        if (is_damaged_ && at_ + count * size_ > records_.size() / 2) {
            return input_error("stream", "is cut off", "");
        }
        std::ranges::copy(std::span(records_).subspan(at_, count * size_), block.begin());
        at_ += count * size_;
        return count;
    }

  private:
    std::vector<std::byte> const& records_;
    std::size_t size_;
    bool is_damaged_;
    std::size_t at_ = 0;
};

/// Replaces the input of a case by a stream of records. \pre `records` outlives the case
inline void
read_as_stream(Case& test, std::vector<std::byte> const& records, bool is_damaged = false) {
    std::size_t const size = test.job.layout.record_bytes;
    ExternalInput& input = test.job.inputs.front();
    input.record_count = 0;
    input.open_stream = [&records, size, is_damaged] {
        return Expected<std::unique_ptr<model::RecordStream>>(
            std::make_unique<StreamInMemory>(records, size, is_damaged));
    };
}

/// Storage calls between consecutive planted failures. Only three failures under the thread
/// sanitizer: a few show races as well as many.
inline std::uint64_t step_between(std::uint64_t calls, std::uint64_t failures) {
#ifdef __SANITIZE_THREAD__
    failures = std::min<std::uint64_t>(failures, 3);
#endif
    return std::max<std::uint64_t>(calls / failures, 1);
}

/// Record source for the input of a case.
class InputInMemory final : public model::RecordSource {
  public:
    explicit InputInMemory(Case const& test) {
        for (ExternalInput const& input : test.job.inputs) {
            bytes_ += testing::text_of(input.identity.path)
                          .substr(input.offset, input.record_count * test.job.layout.record_bytes);
        }
    }
    Expected<void> sweep(Take const& take) override {
        take(std::as_bytes(std::span(bytes_)));
        return {};
    }

  private:
    std::string bytes_;
};

/// Records that the model plans for a case.
inline std::vector<TraceRecord> planned_records(Case const& test) {
    auto const memory =
        model::divide_memory(test.job.layout, test.job.memory_bytes, test.job.gpu_records_max)
            .value();
    InputInMemory input(test);
    auto const planned =
        model::record_external_sort(test.job.layout,
                                    memory,
                                    {model::external_sample_seed, test.job.is_streamed()},
                                    test.job.record_count(),
                                    input,
                                    1'000)
            .value();
    std::vector<TraceRecord> records{model::external_sort_record(test.job.layout, memory)};
    records.insert(records.end(), planned.divisions.begin(), planned.divisions.end());
    records.insert(records.end(), planned.ranges.begin(), planned.ranges.end());
    return records;
}

/// Expects that a sort, interrupted or not, recorded exactly the planned records.
inline void expect_planned(std::vector<TraceRecord> const& planned, ExternalResult const& result) {
    for (TraceRecord const& record : planned) {
        EXPECT_EQ(std::ranges::count(result.records, record), 1);
    }
    EXPECT_EQ(result.records.size(), planned.size());
}

inline void expect_planned(Case const& test, ExternalResult const& result) {
    expect_planned(planned_records(test), result);
}

/// Interrupts a sort after so many bytes were moved.
inline void stop_after(Case const& test, std::uint64_t bytes_max) {
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> moved{0};
    FaultyStorage storage(FaultyStorage::Fault::none, 0);
    auto const result =
        sort_external(test.job,
                      {[&](std::uint64_t bytes) { stop = (moved += bytes) > bytes_max; },
                       [&] { return stop.load(); }},
                      storage);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().problem, "was interrupted");
}

/// Contents of all outputs that have their final names.
inline std::string outputs_of(Case const& test) {
    std::string all;
    for (fs::path const& output : test.job.outputs) {
        all += fs::exists(output) ? testing::text_of(output) : "";
    }
    return all;
}

} // namespace keyswap::tools

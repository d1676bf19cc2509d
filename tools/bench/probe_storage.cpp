#include "tools/bench/probe_storage.hpp"

#include "model/external/external_accesses.hpp"
#include "tools/build/stopwatch.hpp"
#include "tools/external/files/storage.hpp"
#include "tools/external/pipeline/each_part.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/descriptor.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace {

constexpr std::size_t block_bytes = std::size_t{8} << 20; ///< access size of an external sort
constexpr std::size_t page_bytes = 4096;                  ///< sufficient for O_DIRECT
constexpr std::uint64_t small_reads = 5000;
constexpr std::size_t repetitions = 3;
constexpr std::size_t small_files = std::size_t{8} * model::storage_accesses;
constexpr std::size_t small_file_bytes = std::size_t{1} << 16;
constexpr std::size_t small_writes = 2000;
constexpr std::size_t small_write_bytes = 2048;

/// One measurement.
struct StorageProbe {
    double read_Bps = 0.0;
    double write_Bps = 0.0;
    double total_Bps = 0.0; ///< concurrent reads and writes
    double latency_s = 0.0; ///< of a small read, with several concurrent ones
    double request_s = 0.0; ///< to open a file, write a few bytes to the page cache, and close it
    double sync_s = 0.0;    ///< of a file, with several concurrent syncs
    double removal_s = 0.0; ///< of a synced file, with several concurrent removals
    bool is_direct = false; ///< bypasses the page cache
};

/// The value to four digits. \pre value > 0
double rounded(double value) {
    double const unit = std::pow(10.0, std::floor(std::log10(value)) - 3.0);
    return std::round(value / unit) * unit;
}

struct FreedMemory {
    void operator()(std::byte* memory) const { std::free(memory); }
};
using Block = std::unique_ptr<std::byte, FreedMemory>;

/// Block aligned for O_DIRECT.
Block aligned_block() {
    return Block(static_cast<std::byte*>(std::aligned_alloc(page_bytes, block_bytes)));
}

/// Block of nonzero bytes: some disks do not store zeros.
Block filled_block() {
    Block block = aligned_block();
    for (std::size_t i = 0; i < block_bytes; ++i) {
        block.get()[i] = static_cast<std::byte>(mix_bits(i) >> 32);
    }
    return block;
}

/// An unlinked file, removed when closed.
class ProbeFile {
  public:
    static Expected<ProbeFile> make(std::filesystem::path const& folder) {
        std::string name = (folder / "keyswap-probe-XXXXXX").string();
        Descriptor descriptor(::mkostemp(name.data(), O_CLOEXEC));
        if (!descriptor.is_open()) {
            return input_error(folder.string(),
                               std::string("cannot hold a file: ") + std::strerror(errno),
                               "give a folder that you may write to");
        }
        ::unlink(name.c_str());
        bool const is_direct = ::fcntl(descriptor.number(), F_SETFL, O_DIRECT) == 0;
        return ProbeFile(folder, std::move(descriptor), is_direct);
    }

    [[nodiscard]] bool is_direct() const { return is_direct_; }

    /// \return seconds, including the sync to disk
    [[nodiscard]] Expected<double> write(std::uint64_t from, std::uint64_t to) const {
        Block const block = filled_block();
        Stopwatch const stopwatch;
        KEYSWAP_RETURN_IF_ERROR(for_blocks(from, to, "written", [&](unsigned /*thread*/, off_t at) {
            return ::pwrite(descriptor_.number(), block.get(), block_bytes, at);
        }));
        if (::fdatasync(descriptor_.number()) != 0) {
            return failure("written");
        }
        return stopwatch.seconds();
    }
    [[nodiscard]] Expected<double> read(std::uint64_t from, std::uint64_t to) const {
        forget();
        std::vector<Block> blocks;
        std::generate_n(std::back_inserter(blocks), model::storage_accesses, aligned_block);
        Stopwatch const stopwatch;
        KEYSWAP_RETURN_IF_ERROR(for_blocks(from, to, "read", [&](unsigned thread, off_t at) {
            return ::pread(descriptor_.number(), blocks[thread].get(), block_bytes, at);
        }));
        return stopwatch.seconds();
    }
    /// \return seconds to read one page at a random position, with as many concurrent reads as the
    /// sample of a sort has
    [[nodiscard]] Expected<double> read_pages(std::uint64_t size_bytes) const {
        forget();
        std::vector<Block> blocks;
        std::generate_n(std::back_inserter(blocks), model::sample_accesses, aligned_block);
        auto const read_page = [&](std::size_t i, unsigned thread) -> Expected<void> {
            std::uint64_t const page = mix_bits(i) % (size_bytes / page_bytes);
            auto const at = static_cast<off_t>(page * page_bytes);
            return transfer(page_bytes, "read", [&] {
                return ::pread(descriptor_.number(), blocks[thread].get(), page_bytes, at);
            });
        };
        Stopwatch const stopwatch;
        KEYSWAP_RETURN_IF_ERROR(for_each_part(model::sample_accesses, small_reads, read_page));
        return stopwatch.seconds() * model::sample_accesses / static_cast<double>(small_reads);
    }

  private:
    ProbeFile(std::filesystem::path folder, Descriptor descriptor, bool is_direct)
        : folder_(std::move(folder)), descriptor_(std::move(descriptor)), is_direct_(is_direct) {}

    /// Moves blocks, with as many concurrent accesses as an external sort makes.
    /// \param move transfers a thread's block at file offset `at`; returns the byte count
    [[nodiscard]] Expected<void>
    for_blocks(std::uint64_t from,
               std::uint64_t to,
               std::string const& action,
               std::function<ssize_t(unsigned thread, off_t at)> const& move) const {
        return for_each_part(model::storage_accesses,
                             (to - from) / block_bytes,
                             [&](std::size_t block, unsigned thread) -> Expected<void> {
                                 auto const at = static_cast<off_t>(from + block * block_bytes);
                                 return transfer(
                                     block_bytes, action, [&] { return move(thread, at); });
                             });
    }

    /// \param move transfers bytes; returns their number \return an error unless it moved
    /// `size_bytes`
    [[nodiscard]] Expected<void>
    transfer(std::size_t size_bytes, std::string const& action, auto const& move) const {
        errno = 0; // a short transfer leaves it
        return move() == static_cast<ssize_t>(size_bytes) ? Expected<void>{} : failure(action);
    }

    void forget() const { ::posix_fadvise(descriptor_.number(), 0, 0, POSIX_FADV_DONTNEED); }
    [[nodiscard]] tl::unexpected<InputError> failure(std::string const& action) const {
        return input_error(folder_.string(),
                           "a file there cannot be " + action + ": " +
                               (errno != 0 ? std::strerror(errno) : "it is short"),
                           "give a folder with more space");
    }

    std::filesystem::path folder_;
    Descriptor descriptor_;
    bool is_direct_;
};

/// A folder of small files, removed with its content by the destructor.
class SmallFiles {
  public:
    static Expected<std::unique_ptr<SmallFiles>> make(std::filesystem::path const& folder) {
        std::string name = (folder / "keyswap-probe-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            return input_error(folder.string(),
                               std::string("cannot hold a folder: ") + std::strerror(errno),
                               "give a folder that you may write to");
        }
        return std::make_unique<SmallFiles>(name);
    }
    explicit SmallFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
    SmallFiles(SmallFiles const&) = delete;
    SmallFiles& operator=(SmallFiles const&) = delete;
    ~SmallFiles() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    /// Sets request_s, sync_s and removal_s.
    [[nodiscard]] Expected<void> measure(StorageProbe& probe) {
        Block const block = filled_block();
        // Not aligned, so that writes go to the page cache, as those of a sort with little memory.
        auto const write = [&](std::size_t i, std::size_t size_bytes, off_t at) -> Expected<void> {
            KEYSWAP_TRY(auto const file,
                        StoredFile::open(storage_, path(i), StoredFile::Use::update));
            return file->write(static_cast<std::uint64_t>(at), {block.get() + 1, size_bytes});
        };
        for (std::size_t i = 0; i < small_files; ++i) {
            KEYSWAP_RETURN_IF_ERROR(write(i, small_file_bytes, 0));
        }
        KEYSWAP_TRY(probe.sync_s, seconds_of_each([&](std::size_t i) -> Expected<void> {
                        KEYSWAP_TRY(auto const file,
                                    StoredFile::open(storage_, path(i), StoredFile::Use::update));
                        return file->sync();
                    }));
        KEYSWAP_TRY(probe.removal_s, seconds_of_each([&](std::size_t i) -> Expected<void> {
                        storage_.remove(path(i));
                        return {};
                    }));
        Stopwatch const stopwatch;
        for (std::size_t i = 0; i < small_writes; ++i) {
            KEYSWAP_RETURN_IF_ERROR(
                write(0, small_write_bytes, static_cast<off_t>(i * small_write_bytes)));
        }
        probe.request_s = stopwatch.seconds() / static_cast<double>(small_writes);
        return {};
    }

  private:
    [[nodiscard]] std::filesystem::path path(std::size_t i) const {
        return folder_ / std::to_string(i);
    }
    /// Seconds of one call, if storage_accesses of them run concurrently.
    static Expected<double> seconds_of_each(std::function<Expected<void>(std::size_t)> const& act) {
        Stopwatch const stopwatch;
        KEYSWAP_RETURN_IF_ERROR(for_each_part(
            model::storage_accesses, small_files, [&](std::size_t i, unsigned /*thread*/) {
                return act(i);
            }));
        return stopwatch.seconds() * model::storage_accesses / static_cast<double>(small_files);
    }

    std::filesystem::path folder_;
    Storage storage_;
};

Expected<StorageProbe> measure_once(std::filesystem::path const& folder, std::uint64_t half) {
    auto const bytes = static_cast<double>(2 * half);
    KEYSWAP_TRY(auto const file, ProbeFile::make(folder));
    StorageProbe probe;
    probe.is_direct = file.is_direct();
    KEYSWAP_TRY(double const write_s, file.write(0, 2 * half));
    KEYSWAP_TRY(double const read_s, file.read(0, 2 * half));
    KEYSWAP_TRY(probe.latency_s, file.read_pages(2 * half));
    std::optional<Expected<double>> written;
    Stopwatch const stopwatch;
    std::thread writer([&] { written = file.write(half, 2 * half); });
    auto const read = file.read(0, half);
    writer.join();
    double const both_s = stopwatch.seconds();
    KEYSWAP_RETURN_IF_ERROR(read);
    KEYSWAP_RETURN_IF_ERROR(*written);
    probe.write_Bps = bytes / write_s;
    probe.read_Bps = bytes / read_s;
    probe.total_Bps = bytes / both_s;
    KEYSWAP_TRY(auto const small, SmallFiles::make(folder));
    KEYSWAP_RETURN_IF_ERROR(small->measure(probe));
    return probe;
}

} // namespace

Expected<simulator::Storage> probe_storage(std::filesystem::path const& folder,
                                           std::uint64_t size_bytes) {
    std::uint64_t const half =
        std::max<std::uint64_t>(size_bytes / 2 / block_bytes, 1) * block_bytes;
    std::array<StorageProbe, repetitions> probes;
    for (StorageProbe& probe : probes) {
        KEYSWAP_TRY(probe, measure_once(folder, half));
    }
    auto const median = [&probes](double StorageProbe::*member) {
        std::ranges::sort(probes, {}, member);
        return rounded(probes[repetitions / 2].*member);
    };
    auto const rate = [&](double StorageProbe::*member) {
        return static_cast<std::uint64_t>(std::llround(median(member)));
    };
    auto const time = [&](double StorageProbe::*member) {
        return simulator::SimTime{static_cast<std::int64_t>(std::llround(median(member) * 1e12))};
    };
    simulator::Storage disks;
    disks.read_Bps = rate(&StorageProbe::read_Bps);
    disks.write_Bps = rate(&StorageProbe::write_Bps);
    disks.total_Bps = std::max({rate(&StorageProbe::total_Bps), disks.read_Bps, disks.write_Bps});
    disks.latency = time(&StorageProbe::latency_s);
    disks.request_overhead = time(&StorageProbe::request_s);
    disks.sync = time(&StorageProbe::sync_s);
    disks.removal = time(&StorageProbe::removal_s);
    for (auto const member :
         {&StorageProbe::read_Bps, &StorageProbe::write_Bps, &StorageProbe::total_Bps}) {
        auto const [least, most] = std::ranges::minmax(probes, {}, member);
        disks.spread = std::max(disks.spread, most.*member / (least.*member));
    }
    disks.spread = std::ceil(std::min(disks.spread, 100.0) * 1000.0) / 1000.0;
    disks.origins["rest"] =
        std::string("measured: sequential blocks of 8 MiB, ") +
        (probes.front().is_direct
             ? "past the page cache"
             : "through the page cache, as the file system has no direct access");
    return disks;
}

} // namespace keyswap::tools

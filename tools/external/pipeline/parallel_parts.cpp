#include "tools/external/pipeline/parallel_parts.hpp"

#include "kernels/cpu/thread_team.hpp"
#include "model/external/external_accesses.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

namespace keyswap::tools {

unsigned threads_for(ExternalJob const& job, std::uint64_t size_bytes) {
    return model::useful_threads(size_bytes, job.threads);
}

unsigned io_threads_for(ExternalJob const& job, std::uint64_t size_bytes) {
    return model::useful_threads(size_bytes, io_threads(job));
}

unsigned io_threads(ExternalJob const& job) {
    return model::storage_threads(job.threads);
}

void remove_files(ExternalJob const& job,
                  Storage& storage,
                  std::vector<std::filesystem::path> const& paths) {
    auto const remove = [&](std::size_t i, unsigned /*thread*/) -> Expected<void> {
        storage.remove(paths[i]);
        return {};
    };
    if (!for_each_part(io_threads(job), paths.size(), remove)) { // no threads available
        std::ranges::for_each(paths, [&](auto const& path) { storage.remove(path); });
    }
}

std::uint64_t records_in_pages(std::uint64_t record_bytes) {
    return StoredFile::page_bytes / std::gcd(record_bytes, std::uint64_t{StoredFile::page_bytes});
}

std::uint64_t part_records(ExternalJob const& job, std::uint64_t size_bytes) {
    std::uint64_t const size = job.layout.record_bytes;
    std::uint64_t const share = model::access_bytes(size_bytes, io_threads_for(job, size_bytes));
    std::uint64_t const records = std::max<std::uint64_t>(share / size, 1);
    std::uint64_t const whole = records_in_pages(size);
    return records < whole ? records : records / whole * whole;
}

Expected<void> for_each_share(ExternalJob const& job,
                              std::uint64_t count,
                              std::function<void(std::size_t begin, std::size_t end)> const& work) {
    unsigned const threads = threads_for(job, count * job.layout.record_bytes);
    return for_each_part(
        threads, threads, [&](std::size_t share, unsigned /*thread*/) -> Expected<void> {
            auto const [begin, end] =
                kernels::block_of(count, threads, static_cast<unsigned>(share));
            work(begin, end);
            return {};
        });
}

Expected<MultisetDigest> digest_of_shares(
    ExternalJob const& job,
    std::uint64_t count,
    std::function<MultisetDigest(std::size_t begin, std::size_t end)> const& digest_of) {
    MultisetDigest sum;
    std::mutex mutex;
    KEYSWAP_RETURN_IF_ERROR(for_each_share(job, count, [&](std::size_t begin, std::size_t end) {
        MultisetDigest const digest = digest_of(begin, end);
        std::lock_guard const lock(mutex);
        sum += digest;
    }));
    return sum;
}

} // namespace keyswap::tools

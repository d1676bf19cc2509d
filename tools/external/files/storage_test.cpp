#include "tools/external/files/storage.hpp"

#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <set>
#include <span>
#include <vector>

namespace keyswap::tools {
namespace {

constexpr std::size_t page = StoredFile::page_bytes;

/// A disk with sectors of the given size: rejects direct accesses to partial sectors.
class SectorStorage final : public Storage {
  public:
    explicit SectorStorage(std::size_t sector_bytes) : sector_bytes_(sector_bytes) {}
    [[nodiscard]] std::size_t direct_bytes() const { return direct_bytes_; }

    int open(std::filesystem::path const& path, int flags) override {
        int const descriptor = Storage::open(path, flags & ~O_DIRECT);
        if ((flags & O_DIRECT) != 0) {
            direct_.insert(descriptor);
        }
        return descriptor;
    }
    ssize_t read_at(int descriptor, std::span<std::byte> bytes, std::uint64_t offset) override {
        return takes(descriptor, bytes, offset) ? Storage::read_at(descriptor, bytes, offset) : -1;
    }
    ssize_t
    write_at(int descriptor, std::span<std::byte const> bytes, std::uint64_t offset) override {
        return takes(descriptor, bytes, offset) ? Storage::write_at(descriptor, bytes, offset) : -1;
    }

  private:
    bool takes(int descriptor, std::span<std::byte const> bytes, std::uint64_t offset) {
        if (!direct_.contains(descriptor)) {
            return true;
        }
        auto const address = reinterpret_cast<std::uintptr_t>(bytes.data());
        bool const whole =
            (address | offset | static_cast<std::uint64_t>(bytes.size())) % sector_bytes_ == 0;
        direct_bytes_ += whole ? bytes.size() : 0;
        errno = whole ? errno : EINVAL;
        return whole;
    }

    std::size_t sector_bytes_;
    std::set<int> direct_;
    std::size_t direct_bytes_ = 0;
};

/// Writes and reads bytes at an offset. \return number of bytes moved directly each way
std::size_t direct_bytes(std::size_t size, std::uint64_t offset, std::size_t sector_bytes = page) {
    testing::TemporaryFolder const folder;
    SectorStorage storage(sector_bytes);
    std::vector<std::byte> memory(size + 3 * page);
    std::size_t const to_page = page - reinterpret_cast<std::uintptr_t>(memory.data()) % page;
    auto const bytes = StoredFile::place_for(offset, std::span(memory).subspan(to_page), size);
    for (std::size_t i = 0; i < size; ++i) {
        bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
    }
    std::vector<std::byte> const written(bytes.begin(), bytes.end());
    auto const file = StoredFile::open(storage, folder / "file", StoredFile::Use::create);
    EXPECT_TRUE(file && (*file)->write(offset, bytes));
    std::size_t const one_way = storage.direct_bytes();
    std::ranges::fill(bytes, std::byte{});
    auto const again = StoredFile::open(storage, folder / "file", StoredFile::Use::read);
    EXPECT_TRUE(again && (*again)->read(offset, bytes));
    EXPECT_TRUE(std::ranges::equal(bytes, written));
    EXPECT_EQ(storage.direct_bytes(), 2 * one_way);
    return one_way;
}

TEST(StoredFile, MovesWholePagesOfLargeAccessesDirectly) {
    EXPECT_EQ(direct_bytes(32 * page, 0), 32 * page);
    EXPECT_EQ(direct_bytes(32 * page + 1, 2 * page), 32 * page);
    EXPECT_EQ(direct_bytes(32 * page + 200, page - 100), 32 * page);
    EXPECT_EQ(direct_bytes(8 * page, 0), 0U); // below the minimum for direct access
    EXPECT_EQ(direct_bytes(32 * page, 0, 64 * page), 0U);
}

} // namespace
} // namespace keyswap::tools

#include "model/key_files/stored_keys.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/errno_remedy.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace keyswap::model {

namespace {

constexpr std::size_t copy_block_bytes = std::size_t{1} << 18; ///< 256 KiB, half of an L2

InputError unreadable(std::string const& name, int error_number) {
    return {name,
            "cannot be read: " + std::string(std::strerror(error_number)),
            errno_remedy(error_number, "check the file and its disk")};
}

} // namespace

StoredKeys::StoredKeys(std::string name, KeyType key_type)
    : name_(std::move(name)), key_type_(key_type) {}

Expected<StoredKeys> StoredKeys::open(std::filesystem::path const& path,
                                      KeyFileOptions const& options) {
    KEYSWAP_TRY(auto reader, open_key_file(path, options));
    StoredKeys keys(path.string(), reader->key_type());
    keys.narrow_type_ = reader->narrow_type();
    keys.type_was_given_ = options.key_type.has_value();
    auto const offset_bytes = reader->file_offset_bytes();
    if (offset_bytes) {
        keys.key_count_ = reader->key_count().value();
        keys.offset_bytes_ = *offset_bytes;
    }
    KEYSWAP_RETURN_IF_ERROR(offset_bytes ? keys.open_in_place(path)
                                         : keys.copy_to_temporary(*reader));
    keys.header_ = reader->header();
    keys.other_columns_ = reader->other_columns();
    return keys;
}

Expected<StoredKeys> StoredKeys::open(std::span<std::filesystem::path const> paths,
                                      KeyFileOptions const& options) {
    KEYSWAP_EXPECTS(!paths.empty());
    KeyFileOptions part = options;
    part.is_part = part.is_part || paths.size() > 1;
    auto first = open(paths.front(), part);
    if (!first || paths.size() == 1) {
        return first;
    }
    KEYSWAP_TRY(auto rest, open(paths.subspan(1), part));
    if (rest.key_type() != first->key_type()) {
        return input_error(rest.name_,
                           "holds " + std::string(to_string(rest.key_type())) + " keys, and " +
                               first->name_ + " " + std::string(to_string(first->key_type())),
                           "give files of one type");
    }
    for (StoredKeys const* file = &rest; file != nullptr && first->header_;
         file = file->next_.get()) {
        if (file->header_ && file->header_ != first->header_) {
            return input_error(file->name_,
                               "has the header '" + *file->header_ + "', and " + first->name_ +
                                   " '" + *first->header_ + "'",
                               "give files of one column, or rename it");
        }
    }
    first->next_ = std::make_unique<StoredKeys>(std::move(rest));
    return first;
}

StoredKeys
StoredKeys::view(std::span<std::byte const> keys, KeyType type, std::function<bool()> wants_end) {
    KEYSWAP_EXPECTS(keys.size() % key_size_bytes(type) == 0);
    StoredKeys viewed("the keys in memory", type);
    viewed.memory_ = keys;
    viewed.wants_end_ = std::move(wants_end);
    viewed.key_count_ = keys.size() / key_size_bytes(type);
    return viewed;
}

KeyFileOptions StoredKeys::same_type(KeyFileOptions options) const {
    if (!options.key_type) {
        options.key_type = key_type_;
        options.narrow_type = narrow_type_;
        if (!type_was_given_) {
            options.type_of = "the keys of " + name_;
        }
    }
    return options;
}

void StoredKeys::regroup(KeyType type) {
    KEYSWAP_EXPECTS(!next_ && !narrow_type_ && !swaps_bytes_ && !is_big_endian_in_files(type));
    key_count_ = key_count_ * key_size_bytes(key_type_) / key_size_bytes(type);
    key_type_ = type;
}

std::vector<std::uint64_t> StoredKeys::file_begins() const {
    std::vector<std::uint64_t> begins{0};
    std::uint64_t begin = 0;
    for (StoredKeys const* file = this; file->next_ != nullptr; file = file->next_.get()) {
        begin += file->key_count_;
        begins.push_back(begin);
    }
    return begins;
}

std::vector<std::string> StoredKeys::headers() const {
    std::vector<std::string> all;
    for (StoredKeys const* file = this; file != nullptr; file = file->next_.get()) {
        if (file->header_) {
            all.push_back(file->name_ + ": '" + *file->header_ + "'");
        }
    }
    return all;
}

Expected<void> StoredKeys::open_in_place(std::filesystem::path const& path) {
    swaps_bytes_ = is_big_endian_in_files(key_type_);
    descriptor_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!descriptor_.is_open()) {
        return tl::unexpected(unreadable(name_, errno));
    }
    KEYSWAP_TRY(opened_, current_version());
    return {};
}

Expected<StoredKeys::FileVersion> StoredKeys::current_version() const {
    struct stat file {};
    if (::fstat(descriptor_.number(), &file) != 0) {
        return tl::unexpected(unreadable(name_, errno));
    }
    return FileVersion{file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
}

Expected<void> StoredKeys::unchanged() const {
    for (StoredKeys const* file = this; file != nullptr; file = file->next_.get()) {
        if (!file->opened_) {
            continue;
        }
        KEYSWAP_TRY(auto const now, file->current_version());
        if (now != *file->opened_) {
            return input_error(file->name_,
                               "changed while it was being read",
                               "run again when nothing is writing to it");
        }
    }
    return {};
}

Expected<void> StoredKeys::copy_to_temporary(KeyFileReader& reader) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(std::tmpfile(), std::fclose);
    InputError const full{name_,
                          "cannot be copied into a temporary file",
                          "free some space in the folder for temporary files"};
    if (file == nullptr) {
        return tl::unexpected(full);
    }
    std::vector<std::byte> block(copy_block_bytes);
    while (true) {
        KEYSWAP_TRY(auto const count, reader.read(block));
        if (count == 0) {
            break;
        }
        if (std::fwrite(block.data(), key_size_bytes(key_type_), count, file.get()) != count) {
            return tl::unexpected(full);
        }
        key_count_ += count;
    }
    if (std::fflush(file.get()) != 0) {
        return tl::unexpected(full);
    }
    descriptor_ = Descriptor(::dup(::fileno(file.get())));
    return descriptor_.is_open() ? Expected<void>() : tl::unexpected(full);
}

Expected<void> StoredKeys::read(std::uint64_t first, std::span<std::byte> keys) const {
    std::size_t const key_size = key_size_bytes(key_type_);
    KEYSWAP_EXPECTS(keys.size() % key_size == 0);
    KEYSWAP_EXPECTS(first + keys.size() / key_size <= key_count());
    StoredKeys const* file = this;
    while (!keys.empty()) {
        for (; first >= file->key_count_; file = file->next_.get()) {
            first -= file->key_count_;
        }
        auto const count = static_cast<std::size_t>(
            std::min<std::uint64_t>(keys.size() / key_size, file->key_count_ - first));
        KEYSWAP_RETURN_IF_ERROR(file->read_own(first, keys.first(count * key_size)));
        keys = keys.subspan(count * key_size);
        first += count;
    }
    return {};
}

Expected<void> StoredKeys::read_own(std::uint64_t first, std::span<std::byte> keys) const {
    std::size_t const key_size = key_size_bytes(key_type_);
    std::uint64_t place = offset_bytes_ + first * key_size;
    if (!descriptor_.is_open()) {
        if (wants_end_ && wants_end_()) {
            return input_error(name_, "were not read to their end", "");
        }
        std::ranges::copy(memory_.subspan(place, keys.size()), keys.begin());
        return {};
    }
    for (auto rest = keys; !rest.empty();) {
        ssize_t const count =
            ::pread(descriptor_.number(), rest.data(), rest.size(), static_cast<off_t>(place));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return tl::unexpected(unreadable(name_, errno));
        }
        if (count == 0) {
            return input_error(name_,
                               "became shorter while it was being read",
                               "run again when nothing is writing to it");
        }
        rest = rest.subspan(static_cast<std::size_t>(count));
        place += static_cast<std::uint64_t>(count);
    }
    if (swaps_bytes_) {
        swap_key_bytes(key_type_, keys);
    }
    return {};
}

} // namespace keyswap::model

#include "tools/ranks/rank_share.hpp"

#include "model/distributions/key_generator.hpp"
#include "model/key_files/key_file.hpp"
#include "model/key_files/stored_keys.hpp"
#include "model/keys/key_order.hpp"
#include "model/ranks/rank_files.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace keyswap::tools {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

std::string file_of(SortRequest const& request, std::uint32_t rank) {
    return model::file_of_rank(request.file_path, rank);
}

/// Index of the range's first key within the file that contains it.
std::uint64_t first_in_file(SortRequest const& request, model::IndexRange range) {
    return model::is_one_file_a_rank(request.file_path) ? 0 : range.begin;
}

/// Skips `count` keys, or to the end. \return number of keys skipped
Expected<std::uint64_t> pass_over(model::KeyFileReader& file, std::uint64_t count) {
    std::size_t const key_size = key_size_bytes(file.key_type());
    std::vector<std::byte> block(block_bytes);
    std::uint64_t passed = 0;
    while (passed < count) {
        std::size_t const keys = static_cast<std::size_t>(
            std::min<std::uint64_t>(block.size() / key_size, count - passed));
        KEYSWAP_TRY(auto const read, file.read(std::span(block).first(keys * key_size)));
        if (read == 0) {
            break;
        }
        passed += read;
    }
    return passed;
}

InputError became_shorter(std::string const& file) {
    return {file, "became shorter while it was being read", "do not write to it during a sort"};
}

/// Reads `keys` from index `first` on, after skipping all keys before it.
Expected<void> read_after_others(std::string const& name,
                                 model::KeyFileReader& file,
                                 std::uint64_t first,
                                 std::span<std::byte> keys) {
    KEYSWAP_RETURN_IF_ERROR(pass_over(file, first));
    while (!keys.empty()) {
        KEYSWAP_TRY(auto const read, file.read(keys));
        if (read == 0) {
            return tl::unexpected(became_shorter(name));
        }
        keys = keys.subspan(read * key_size_bytes(file.key_type()));
    }
    return {};
}

/// As read_after_others(), for files with random access.
Expected<void> read_in_place(std::string const& name,
                             model::KeyFileOptions const& options,
                             std::uint64_t first,
                             std::span<std::byte> keys) {
    KEYSWAP_TRY(auto const stored, model::StoredKeys::open(name, options));
    if (first + keys.size() / key_size_bytes(stored.key_type()) > stored.key_count()) {
        return tl::unexpected(became_shorter(name));
    }
    return stored.read(first, keys);
}

template <class Image>
Expected<void> read_share(SortRequest const& request,
                          std::uint32_t rank,
                          model::IndexRange range,
                          std::span<Image> images) {
    std::string const name = file_of(request, rank);
    KEYSWAP_TRY(auto const file, model::open_key_file(name, request.file_options));
    auto const keys = std::as_writable_bytes(images);
    std::uint64_t const first = first_in_file(request, range);
    auto const read = file->file_offset_bytes()
                          ? read_in_place(name, request.file_options, first, keys)
                          : read_after_others(name, *file, first, keys);
    if (!read) {
        return read;
    }
    model::to_images(request.config.key_type, request.config.direction, ZeroOrder::total, images);
    return {};
}

template <class Image>
Expected<void>
make_share(SortRequest const& request, model::IndexRange range, std::span<Image> images) {
    KEYSWAP_TRY(auto const generator, model::KeyGenerator::make(*request.keys));
    generator.images(range.begin, images);
    if (request.config.direction == Direction::descending) {
        std::ranges::transform(
            images, images.begin(), [](Image image) { return static_cast<Image>(~image); });
    }
    return {};
}

} // namespace

Expected<void> count_keys(SortRequest& request, std::uint32_t rank) {
    if (!request.file) {
        return {};
    }
    KEYSWAP_TRY(auto const file,
                model::open_key_file(file_of(request, rank), request.file_options));
    request.config.key_type = file->key_type();
    if (auto const known = file->key_count()) {
        request.config.key_count = *known;
        return {};
    }
    KEYSWAP_TRY(request.config.key_count, pass_over(*file, model::key_count_max));
    request.csv_header = file->header();
    request.other_csv_columns = file->other_columns();
    return {};
}

template <class Image, class Value>
LoadedShare<Image, Value>
load_share(SortRequest const& request, std::uint32_t rank, model::IndexRange range) {
    auto share = model::RankKeys<Image, Value>::of_size(range.size());
    std::span<Image> const images(share.keys);
    KEYSWAP_RETURN_IF_ERROR(request.file ? read_share(request, rank, range, images)
                                         : make_share(request, range, images));
    if constexpr (!std::is_same_v<Value, model::NoValue>) {
        for (std::size_t i = 0; i < share.values.size(); ++i) {
            share.values[i] = static_cast<Value>(range.begin + i);
        }
    }
    return share;
}

#define KEYSWAP_INSTANTIATE(Image, Value)                                                          \
    template LoadedShare<Image, Value> load_share(                                                 \
        SortRequest const&, std::uint32_t, model::IndexRange);
KEYSWAP_FOR_EACH_KEY_ARRAYS(KEYSWAP_INSTANTIATE)
#undef KEYSWAP_INSTANTIATE

} // namespace keyswap::tools

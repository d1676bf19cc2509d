#include "tools/commands/sort/sort_values.hpp"

#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <vector>

namespace keyswap::tools {

Expected<std::unique_ptr<model::StoredKeys>> open_values(std::string const& path,
                                                         std::uint64_t key_count) {
    model::KeyFileFormat const format = model::format_of_name(path);
    if (format == model::KeyFileFormat::csv) {
        return input_error(path,
                           "has the name of a text file, and values are read from .npy and raw "
                           "files",
                           "save them as .npy");
    }
    model::KeyFileOptions file;
    if (format == model::KeyFileFormat::raw) {
        file.format = format;
        file.key_type = KeyType::u32;
        file.type_of = "the narrowest values";
    }
    KEYSWAP_TRY(auto values, model::StoredKeys::open(path, file));
    if (format == model::KeyFileFormat::raw) {
        // A raw file does not store the width of its values; its size, unpacked, determines it.
        std::uint64_t const words = values.key_count();
        values.regroup(words == key_count       ? KeyType::u32
                       : words == 4 * key_count ? KeyType::u128
                       : words % 2 == 0         ? KeyType::u64
                                                : KeyType::u32);
    }
    if (values.narrow_type()) {
        return input_error(
            path, "has values of fewer than 32 bits", "write them with 32, 64 or 128 bits");
    }
    if (values.key_count() != key_count) {
        return input_error(path,
                           "has " + grouped_count(values.key_count()) + " values for " +
                               counted(key_count, "key"),
                           "give one value for each key");
    }
    return std::make_unique<model::StoredKeys>(std::move(values));
}

Expected<void> write_values(model::StoredKeys const& values,
                            std::span<std::byte const> index_bytes,
                            model::KeyFileWriter& output) {
    std::size_t const size = key_size_bytes(values.key_type());
    std::span const indices{reinterpret_cast<std::uint64_t const*>(index_bytes.data()),
                            index_bytes.size() / sizeof(std::uint64_t)};
    std::vector<std::byte> given(indices.size() * size);
    KEYSWAP_RETURN_IF_ERROR(values.read(0, given));
    constexpr std::size_t at_once = std::size_t{1} << 16;
    std::vector<std::byte> block;
    for (std::size_t first = 0; first < indices.size(); first += at_once) {
        block.clear();
        for (std::uint64_t const index :
             indices.subspan(first, std::min(at_once, indices.size() - first))) {
            auto const value = std::span(given).subspan(index * size, size);
            block.insert(block.end(), value.begin(), value.end());
        }
        KEYSWAP_RETURN_IF_ERROR(output.write(block));
    }
    return output.finish();
}

} // namespace keyswap::tools

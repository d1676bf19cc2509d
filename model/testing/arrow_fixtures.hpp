#pragma once

/// \file Arrow arrays as another program exports them, for tests; they record how often they are
/// released.

#include "model/rows/readers/arrow_stream.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::model::testing {

/// A column and the structs that export it. Exported pointers are valid as long as it lives.
struct ArrowNode {
    std::string format;
    std::string name;
    std::int64_t length = 0;
    std::int64_t null_count = 0;
    std::int64_t offset = 0;
    std::vector<std::vector<std::byte>> buffers; ///< an empty buffer is exported as a null pointer
    std::vector<ArrowNode> children;
    std::shared_ptr<ArrowNode> dictionary;
    int* alive = nullptr; ///< number of exported arrays not yet released
};

template <class T>
std::vector<std::byte> bytes_of_numbers(std::vector<T> const& numbers) {
    auto const bytes = std::as_bytes(std::span(numbers));
    return {bytes.begin(), bytes.end()};
}

/// A fixed-size column without nulls.
template <class T>
ArrowNode number_column(std::string format, std::string name, std::vector<T> const& numbers) {
    ArrowNode node;
    node.format = std::move(format);
    node.name = std::move(name);
    node.length = static_cast<std::int64_t>(numbers.size());
    node.buffers = {{}, bytes_of_numbers(numbers)};
    return node;
}

/// A text or binary column; Offset is std::int32_t or std::int64_t.
template <class Offset>
ArrowNode text_column(std::string format, std::string name, std::vector<std::string> const& cells) {
    std::vector<Offset> ends{0};
    std::string all;
    for (std::string const& cell : cells) {
        all += cell;
        ends.push_back(static_cast<Offset>(all.size()));
    }
    ArrowNode node;
    node.format = std::move(format);
    node.name = std::move(name);
    node.length = static_cast<std::int64_t>(cells.size());
    node.buffers = {
        {}, bytes_of_numbers(ends), bytes_of_numbers(std::vector<char>(all.begin(), all.end()))};
    return node;
}

inline ArrowNode record_batch(std::vector<ArrowNode> columns) {
    ArrowNode node;
    node.format = "+s";
    node.length = columns.empty() ? 0 : columns.front().length;
    node.buffers = {{}};
    node.children = std::move(columns);
    return node;
}

/// Memory owned by an exported array or schema.
struct ArrowExport {
    ArrowNode node;
    std::vector<void const*> buffers;
    std::deque<ArrowArray> arrays;
    std::vector<ArrowArray*> array_children;
    std::deque<ArrowSchema> schemas;
    std::vector<ArrowSchema*> schema_children;
};

inline ArrowSchema export_schema(ArrowNode const& node);

inline void release_schema(ArrowSchema* schema) {
    auto* const owned = static_cast<ArrowExport*>(schema->private_data);
    for (ArrowSchema& child : owned->schemas) {
        if (child.release != nullptr) {
            child.release(&child);
        }
    }
    schema->release = nullptr;
    std::unique_ptr<ArrowExport> const freed(owned);
}

inline ArrowSchema export_schema(ArrowNode const& node) {
    auto owned = std::make_unique<ArrowExport>();
    owned->node = node;
    ArrowSchema schema{};
    for (ArrowNode const& child : node.children) {
        owned->schemas.push_back(export_schema(child));
        owned->schema_children.push_back(&owned->schemas.back());
    }
    if (node.dictionary) {
        owned->schemas.push_back(export_schema(*node.dictionary));
        schema.dictionary = &owned->schemas.back();
    }
    schema.format = owned->node.format.c_str();
    schema.name = owned->node.name.c_str();
    schema.flags = ARROW_FLAG_NULLABLE;
    schema.n_children = static_cast<std::int64_t>(node.children.size());
    schema.children = owned->schema_children.data();
    schema.release = release_schema;
    schema.private_data = owned.release();
    return schema;
}

inline void release_array(ArrowArray* array) {
    auto* const owned = static_cast<ArrowExport*>(array->private_data);
    for (ArrowArray& child : owned->arrays) {
        if (child.release != nullptr) {
            child.release(&child);
        }
    }
    if (owned->node.alive != nullptr) {
        --*owned->node.alive;
    }
    array->release = nullptr;
    std::unique_ptr<ArrowExport> const freed(owned);
}

inline ArrowArray export_array(ArrowNode const& node) {
    auto owned = std::make_unique<ArrowExport>();
    owned->node = node;
    ArrowArray array{};
    for (auto const& buffer : owned->node.buffers) {
        owned->buffers.push_back(buffer.empty() ? nullptr : buffer.data());
    }
    for (ArrowNode const& child : node.children) {
        owned->arrays.push_back(export_array(child));
        owned->array_children.push_back(&owned->arrays.back());
    }
    if (node.dictionary) {
        owned->arrays.push_back(export_array(*node.dictionary));
        array.dictionary = &owned->arrays.back();
    }
    if (node.alive != nullptr) {
        ++*node.alive;
    }
    array.length = node.length;
    array.null_count = node.null_count;
    array.offset = node.offset;
    array.n_buffers = static_cast<std::int64_t>(node.buffers.size());
    array.n_children = static_cast<std::int64_t>(node.children.size());
    array.buffers = owned->buffers.data();
    array.children = owned->array_children.data();
    array.release = release_array;
    array.private_data = owned.release();
    return array;
}

/// A stream of arrays with a common schema.
struct ExportedStream {
    ArrowNode schema;
    std::vector<ArrowNode> arrays;
    std::size_t next = 0;
    int failing_at = -1; ///< get_next() fails before this array
    int* released = nullptr;
};

inline ArrowArrayStream export_stream(ExportedStream content) {
    ArrowArrayStream stream{};
    stream.get_schema = [](ArrowArrayStream* from, ArrowSchema* out) {
        *out = export_schema(static_cast<ExportedStream*>(from->private_data)->schema);
        return 0;
    };
    stream.get_next = [](ArrowArrayStream* from, ArrowArray* out) {
        auto& content_now = *static_cast<ExportedStream*>(from->private_data);
        if (content_now.failing_at == static_cast<int>(content_now.next)) {
            return 5;
        }
        *out = content_now.next < content_now.arrays.size()
                   ? export_array(content_now.arrays[content_now.next++])
                   : ArrowArray{};
        return 0;
    };
    stream.get_last_error = [](ArrowArrayStream*) { return "the disk is gone"; };
    stream.release = [](ArrowArrayStream* from) {
        std::unique_ptr<ExportedStream> const freed(
            static_cast<ExportedStream*>(from->private_data));
        if (freed->released != nullptr) {
            ++*freed->released;
        }
        from->release = nullptr;
    };
    stream.private_data = std::make_unique<ExportedStream>(std::move(content)).release();
    return stream;
}

} // namespace keyswap::model::testing

#pragma once

#include "traces/errors/input_error.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// An element of an XML file: the part of XML that NCCL writes, which is elements with attributes
/// and no text between them.
struct XmlElement {
    std::string name;
    int line = 0;
    std::map<std::string, std::string> attributes;
    std::vector<XmlElement> children;
};

/// The root element. Prologue and comments are skipped; entities stay as written.
/// \param file name for messages
[[nodiscard]] Expected<XmlElement> parse_xml_elements(std::string_view text, std::string_view file);

} // namespace keyswap::simulator

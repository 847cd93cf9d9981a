// What the passes of vts and sp share: contacts that push by impulses. Those of a contact are kept as seen from the grain whose row
// it is in; both sides compute them from the same numbers with opposite signs, so that they stay exactly opposite and momentum is
// kept to rounding.
#include "shared/pass.glsl"

layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 5, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 6, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 7, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 9, scalar) readonly buffer SpinBlock { vec4 grain_spin[]; };
#include "shared/space.glsl"
#include "shared/contact_row.glsl"
#include "shared/pair_law.glsl"
#include "shared/laws/friction.h"
#include "shared/laws/restitution.h"
#include "shared/laws/impulse.h"
#include "shared/turn.glsl"

// Against rolling: shares of the method.
const float rolling_relaxation = POSITIONS ? sp_rolling_relaxation : vts_rolling_relaxation;
const float rolling_memory_share = POSITIONS ? sp_rolling_memory_share : vts_rolling_memory_share;


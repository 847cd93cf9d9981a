// What passes read of shapes: the parts of bodies and sinks, meshes, the shapes of particles, cloth (shape_data in engine/core/fields.h).
#ifndef TALUS_SHAPE_DATA
#define TALUS_SHAPE_DATA
layout(set = 0, binding = 16, scalar) readonly buffer ShapeBlock { uint shape_data[]; };
#endif
